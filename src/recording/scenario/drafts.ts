import { COMMANDS } from '../../api/control/commands.js';
import type { ConvertedRecording } from '../../api/control/world.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../chain/solana/addresses.js';
import type { WireTransaction } from '../../chain/solana/wire.js';
import { type Endpoint, endpoints } from '../../contract/endpoints.js';
import { filledPath } from '../../contract/match-path.js';
import { tokenUnits } from '../../core/domain/money.js';
import { isTokenRefused } from '../../core/domain/errors.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { defined, isObject, valueAt } from '../../core/json.js';
import { type StepAction, rawCall, verbCall } from '../../testing/scenario/file/write.js';
import { isName, plainText } from '../aliases.js';
import type { InputLine, LineOf, Recording, RecordedTransaction } from '../schema.js';
import { decodeInstructions, wireOf } from '../transactions.js';
import type { AgentNames } from './agent-names.js';

/** What a line of a recording becomes in a scenario. */
interface LineAction extends StepAction {
  readonly key?: string;
  /** Status and body of the recorded response, with aliases for generated values; null for one that a fault has lost, absent for a step without expectations. */
  readonly told?: { readonly status: number | null; readonly body: unknown } | null;
  /** Whether it only reads, and may be dropped if nothing refers to it. */
  readonly isRead?: boolean;
}

/** A scenario step under construction, from a line of a recording. */
export interface StepDraft extends LineAction {
  readonly number: number;
  args: unknown;
  key?: string;
  /** World time at which it must run. */
  readonly atMs: number;
  /** Saved members of its response that other steps refer to, by name. */
  readonly saves: Map<string, string>;
}

/** The end of the titles of sign-ins. */
export const SIGN_IN = '.signIn';
/** The code for a transaction that the chain refused, whatever the reason. */
export const ANY_CODE = '?';

export type LeftOut = ConvertedRecording['leftOut'][number];

const TABLE = endpoints(DEFAULT_VARIANTS);

const TOO_LARGE = 70_000;
const NO_JSON = '{';

/** The step of a request for a challenge, or of its proof, or why it has none: agents sign in automatically. */
function signInDraft(
  { operation, who, response }: LineOf<'call'>,
  agentNames: AgentNames,
  areCallsCounted: boolean,
): LineAction | string {
  const agent = agentNames.ofWallets.get(who ?? '');
  const isDone = operation === 'verify' && response?.status === 200;
  const isMarked = response === null || valueAt(response.body, 'details.faults') !== undefined;
  const isFaulted = areCallsCounted && isMarked;
  if (agent === undefined || !(isDone || isFaulted)) return 'agents sign in automatically';
  return { title: `${agent}${SIGN_IN}`, args: {}, ...(isFaulted ? { told: response } : {}) };
}

/** The step of a call, or why it has none. */
function callDraft(
  line: LineOf<'call'>,
  agentNames: AgentNames,
  areCallsCounted: boolean,
): LineAction | string {
  const { operation, who, auth, response, key, params, unparsed, tooLarge } = line;
  if (line.brokenOff === true) return 'its body ended before it was complete';
  if (line.inFlight === true) return 'the recording ended before its response';
  const endpoint: Endpoint = TABLE[operation];
  if (operation === 'challenge' || operation === 'verify')
    return signInDraft(line, agentNames, areCallsCounted);
  const isToken = auth?.startsWith('<') === true;
  const isRefused = auth === 'expired' || (isToken && isTokenRefused(valueAt(response?.body, 'code')));
  if (isRefused && !areCallsCounted) return 'agents renew refused tokens automatically';
  const agent = (isToken && !isRefused && agentNames.ofWallets.get(who ?? '')) || null;
  // An agent has only its latest token, so that another one stands for one that was refused.
  const authorization = isRefused || auth === 'wrong' ? 'Bearer wrong' : auth;
  const more = defined({
    text: unparsed && NO_JSON,
    repeated: tooLarge && { text: 'x', times: TOO_LARGE },
    headers: agent === null && auth !== undefined ? { authorization } : undefined,
  });
  const isVerb = agent !== null && Object.keys(more).length === 0;
  const id = params?.['id'] ?? '';
  const path = filledPath(endpoint.path, isName(id) ? id : encodeURIComponent(plainText(id)));
  const action =
    (isVerb ? verbCall(agent, operation, endpoint, line) : null) ??
    rawCall(agent, { ...endpoint, path }, line, more);
  const isRead = agent === null || endpoint.method === 'GET';
  const told = isRefused && response ? { ...response, body: { code: 'invalid_token' } } : response;
  return { ...action, told, isRead, ...defined({ key }) };
}

const STANDS_STILL = 'time stands still in a scenario';

function commandDraft({ command, id, query, body, response }: LineOf<'control'>): StepAction | string {
  if (['freeze', 'run', 'scale'].includes(command)) return STANDS_STILL;
  if (['fork', 'dropFork', 'forks'].includes(command)) return 'a scenario runs in one world';
  const plain = { title: 'control', args: defined({ do: command, body, id, query }) };
  // A refused command may contain anything, which a specific verb might not accept.
  if (response?.status !== 200) return plain;
  const { address: to, by, amount, token, network, SOL: sol, USDC: usdc } = isObject(body) ? body : {};
  const gift = { to, [String(token).toLowerCase()]: amount };
  switch (command) {
    case 'advance':
      return { title: 'time.advance', args: by ?? body };
    case 'faucet':
      return network === undefined ? { title: 'faucet.give', args: gift } : plain;
    case 'setBalance':
      return { title: 'balance.set', args: gift };
    case 'createWallet':
      if (sol === undefined && usdc === undefined)
        return 'a created wallet is an agent of the scenario from its start';
      return {
        title: 'faucet.give',
        args: defined({ to: valueAt(response.body, 'address'), sol, usdc }),
      };
    default:
      return plain;
  }
}

function controlDraft(line: LineOf<'control'>): LineAction | string {
  const { command, response } = line;
  const made = commandDraft(line);
  if (typeof made === 'string') return made;
  // These verbs have responses of their own, so only whether the command succeeded is expected.
  const isOwn = made.title === 'faucet.give' || made.title === 'balance.set';
  const told = response && {
    status: response.status,
    body: isOwn && response.status === 200 ? {} : response.body,
  };
  return { ...made, told, isRead: COMMANDS[command].method === 'GET' };
}

export function advanceTo(instantMs: number): LineAction {
  return { title: 'time.advance', args: { to: new Date(instantMs).toISOString() } };
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

/** The single transfer of a transaction, or why there is not exactly one. */
function transferOf(transaction: RecordedTransaction, agentNames: AgentNames) {
  if (transaction.blockhash === 'old') return 'its blockhash was not valid';
  if (transaction.signed.some((how) => how !== 'right')) return 'it lacked valid signatures';
  if (transaction.signed.length > 1) return 'it has several signers';
  let wire: WireTransaction;
  try {
    wire = wireOf(transaction);
  } catch {
    return 'it cannot be read';
  }
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
  const to = isTransfer && programId === TOKEN_PROGRAM ? agentNames.owners.get(destination) : undefined;
  if (to === undefined) return 'it does more than one transfer';
  return { to, amount: tokenUnits('USDC', BigInt(tokenAmount?.amount ?? amount)), token: 'USDC' };
}

function sendDraft(line: LineOf<'rpc'> | LineOf<'send'>, agentNames: AgentNames): LineAction | string {
  const { who, transaction, response } = line;
  const agent = agentNames.ofWallets.get(who ?? '');
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

function airdropDraft({ params, response }: LineOf<'rpc'>): LineAction | string {
  const [to, lamports] = Array.isArray(params) ? (params as unknown[]) : [];
  if (typeof to !== 'string' || typeof lamports !== 'number' || response === null || 'error' in response)
    return 'the chain refused it, or its response was lost';
  return { title: 'faucet.give', args: { to, sol: lamports / 1e9 }, told: { status: 200, body: {} } };
}

/** The step of a line, or why it has none. */
function actionOf(line: InputLine, agentNames: AgentNames, areCallsCounted: boolean): LineAction | string {
  switch (line.kind) {
    case 'call':
      return callDraft(line, agentNames, areCallsCounted);
    case 'control':
      return controlDraft(line);
    case 'clock':
      return line.missing ?? (line.to === undefined ? STANDS_STILL : advanceTo(line.to));
    case 'send':
      return sendDraft(line, agentNames);
    case 'rpc':
      if (line.method === 'requestAirdrop') return airdropDraft(line);
      return line.method === 'sendTransaction' ? sendDraft(line, agentNames) : 'it only reads from the chain';
  }
}

/** The steps of a recording and the lines without one; if faults count calls, calls with a refused token are steps, too. */
export function draftsOf({ lines }: Recording, agentNames: AgentNames, areCallsCounted: boolean) {
  const drafts: StepDraft[] = [];
  const leftOut: LeftOut[] = [];
  for (const { number, line } of lines) {
    if (line.kind === 'wallet' || line.kind === 'end') continue;
    const action = actionOf(line, agentNames, areCallsCounted);
    if (typeof action === 'string') leftOut.push({ number, why: action });
    else drafts.push({ number, atMs: line.at, saves: new Map(), ...action });
  }
  return { drafts, leftOut };
}
