import { COMMANDS } from '../../api/control/commands.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../chain/solana/addresses.js';
import { MalformedTransaction, type WireTransaction } from '../../chain/solana/wire.js';
import { decodeInstructions } from '../decoded-instruction.js';
import { wireOf } from '../transactions.js';
import type { ClockLine, ControlLine, RecordedTransaction, RpcLine, SendLine } from '../schema.js';
import type { AgentNames } from './agent-names.js';
import { ANY_CODE, type LineAction } from './step-draft.js';
import type { StepAction } from '../../testing/scenario/file/write.js';
import { tokenUnits } from '../../core/domain/money.js';

/** Commands that cannot appear in a scenario, and why. */
const NOT_IN_SCENARIOS: Readonly<Record<string, string>> = {
  freeze: 'time stands still in a scenario',
  run: 'time stands still in a scenario',
  scale: 'time stands still in a scenario',
  fork: 'a scenario runs in one world',
  dropFork: 'a scenario runs in one world',
  forks: 'a scenario runs in one world',
};

type Bodied = Readonly<Record<string, unknown>>;

function unit(token: unknown): 'usdc' | 'sol' {
  return token === 'SOL' ? 'sol' : 'usdc';
}

function plainDraft({ command, id, query, body }: ControlLine): StepAction {
  const more = { ...(id === undefined ? {} : { id }), ...(query === undefined ? {} : { query }) };
  return { title: 'control', args: { do: command, ...(body === undefined ? {} : { body }), ...more } };
}

function commandDraft(line: ControlLine): StepAction | null {
  const { command, body, response } = line;
  // A refused command may contain anything, which a specific verb might not accept.
  if (response?.status !== 200) return plainDraft(line);
  const { address, amount, token, network, SOL, USDC } = (body ?? {}) as Bodied;
  switch (command) {
    case 'advance': {
      const { by } = (body ?? {}) as Bodied;
      return { title: 'time.advance', args: by ?? body };
    }
    case 'faucet':
      if (network !== undefined) break;
      return { title: 'faucet.give', args: { to: address, [unit(token)]: amount } };
    case 'setBalance':
      return { title: 'balance.set', args: { to: address, [unit(token)]: amount } };
    case 'createWallet': {
      if (SOL === undefined && USDC === undefined) return null;
      const { address: to } = (response.body ?? {}) as Bodied;
      const sol = SOL === undefined ? {} : { sol: SOL };
      return { title: 'faucet.give', args: { to, ...sol, ...(USDC === undefined ? {} : { usdc: USDC }) } };
    }
    default:
  }
  return plainDraft(line);
}

/** The step of a command, or why it has none. */
export function controlDraft(line: ControlLine): LineAction | string {
  const why = NOT_IN_SCENARIOS[line.command];
  if (why !== undefined) return why;
  const made = commandDraft(line);
  if (made === null) return 'a created wallet is an agent of the scenario from its start';
  const { response } = line;
  // These verbs have responses of their own, so only whether the command succeeded is expected.
  const isOwn = made.title === 'faucet.give' || made.title === 'balance.set';
  const told = response && {
    status: response.status,
    body: isOwn && response.status === 200 ? {} : response.body,
  };
  return { ...made, told, isRead: COMMANDS[line.command].method === 'GET' };
}

export function advanceTo(instantMs: number): LineAction {
  return { title: 'time.advance', args: { to: new Date(instantMs).toISOString() } };
}

/** The step for a clock change made by a program, or why it has none. */
export function clockDraft({ to, missing }: ClockLine): LineAction | string {
  if (missing !== undefined) return missing;
  if (to === undefined) return 'time stands still in a scenario';
  return advanceTo(to);
}

/** Programs that may accompany a transfer: they create token accounts, or set prices and limits of compute units. */
const MOVING_NOTHING = new Set([ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM]);

/** The parts of a transfer of lamports, of tokens, and of tokens with a check of their decimals. */
interface TransferInfo {
  readonly destination: string;
  readonly lamports: number | bigint;
  readonly amount: string;
  readonly tokenAmount?: { readonly amount: string };
}

function wireIn(transaction: RecordedTransaction): WireTransaction | null {
  try {
    return wireOf(transaction);
  } catch (error) {
    if (error instanceof MalformedTransaction) return null;
    throw error;
  }
}

/** The single transfer of a transaction, or why there is not exactly one. */
function transferOf(transaction: RecordedTransaction, agentNames: AgentNames) {
  if (transaction.blockhash === 'old') return 'its blockhash was not valid';
  if (transaction.signed.some((how) => how !== 'right')) return 'it lacked valid signatures';
  if (transaction.signed.length > 1) return 'it has several signers';
  const wire = wireIn(transaction);
  if (wire === null) return 'it cannot be read';
  const instructions = decodeInstructions(wire);
  for (const { info } of instructions)
    if (typeof info['wallet'] === 'string') agentNames.learn(info['wallet']);
  const moves = instructions.filter(({ programId }) => !MOVING_NOTHING.has(programId));
  const [move] = moves;
  if (move === undefined || moves.length > 1) return 'it does more than one transfer';
  const { programId, type, info } = move;
  if (type === null && wire.lookups.length > 0) return 'its accounts are in a lookup table';
  const { destination, lamports, amount, tokenAmount } = info as unknown as TransferInfo;
  const isTransfer = type === 'transfer' || type === 'transferChecked';
  if (isTransfer && programId === SYSTEM_PROGRAM)
    return { to: destination, amount: tokenUnits('SOL', BigInt(lamports)), token: 'SOL' };
  const to = isTransfer && programId === TOKEN_PROGRAM ? agentNames.ownerOf(destination) : undefined;
  if (to === undefined) return 'it does more than one transfer';
  return { to, amount: tokenUnits('USDC', BigInt(tokenAmount?.amount ?? amount)), token: 'USDC' };
}

/** The step of a transaction, or why it has none. */
export function sendDraft(line: RpcLine | SendLine, agentNames: AgentNames): LineAction | string {
  const { who, transaction, response } = line;
  const agent = agentNames.of(who);
  if (transaction === undefined) return 'it was sent before, or cannot be read';
  if (agent === undefined) return 'no agent in the scenario owns it';
  const moved = transferOf(transaction, agentNames);
  if (typeof moved === 'string') return moved;
  if (line.kind === 'rpc' && line.config?.['skipPreflight'] === true)
    return 'it was sent without preflight, so its response does not contain its result';
  const isRefused = response === null || (line.kind === 'rpc' ? 'error' in response : false);
  const body = isRefused ? { code: ANY_CODE } : { signature: line.signature };
  return { title: `${agent}.send`, args: moved, told: { status: null, body } };
}

export function airdropDraft({ params, response }: RpcLine): LineAction | string {
  const [to, lamports] = Array.isArray(params) ? (params as unknown[]) : [];
  if (typeof to !== 'string' || typeof lamports !== 'number' || response === null || 'error' in response)
    return 'the chain refused it, or its response was lost';
  return { title: 'faucet.give', args: { to, sol: lamports / 1e9 }, told: { status: 200, body: {} } };
}
