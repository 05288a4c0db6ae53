import { defined } from '../../../core/json.js';
import { unitsOf } from '../amounts.js';
import { durationMs } from '../model/duration.js';
import {
  type Answer,
  type ControlCall,
  type ControlCommand,
  MINTED,
  type ModelToken,
} from '../model/types.js';
import type { ModelRunner, Played } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';
import { reported } from './sends.js';

const SOURCES = {
  usdc: { command: 'setApy', token: 'USDC' },
  usdcUsd: { command: 'setPrice', token: 'USDC' },
  sol: { command: 'setApy', token: 'SOL' },
  solUsd: { command: 'setPrice', token: 'SOL' },
} as const;

/** The commands of the control interface that a verb with these arguments makes. */
type Commands = (args: Args) => readonly ControlCall[];

function onLoan(command: ControlCommand): Commands {
  return ({ loan, ...body }) => [{ command, id: loan as string, body }];
}

function forAddress(command: ControlCommand): Commands {
  return ({ to: address, ...amounts }) =>
    ['usdc', 'sol'].flatMap((token) => {
      const amount = amounts[token];
      return amount === undefined ? [] : [{ command, body: { address, token: token.toUpperCase(), amount } }];
    });
}

/** An operator's verbs, with commands in the order of scenarios, and `oracle`, which begins or ends an outage and stale data. */
const VERBS: Readonly<Record<string, Commands>> = {
  'oracle.set': ({ in: delay, from, ...values }) =>
    Object.entries(SOURCES).flatMap(([name, { command, token }]) => {
      const source = values[name];
      return source === undefined ? [] : [{ command, body: defined({ token, source, in: delay, from }) }];
    }),
  oracle: ({ state }) => [
    { command: 'setOutage', body: { out: state === 'out' } },
    { command: 'setStale', body: { stale: state === 'stale' } },
  ],
  'review.approve': onLoan('approve'),
  'review.deny': onLoan('deny'),
  'review.policy': (body) => [{ command: 'setReviewPolicy', body }],
  'loan.overdue': onLoan('overdueLoan'),
  'loan.default': onLoan('defaultLoan'),
  'loan.cure': onLoan('cureLoan'),
  'loan.pay': onLoan('payLoan'),
  'identity.link': ({ of: wallet, x = false, github = false }) => [
    { command: 'linkIdentity', body: { wallet, x, github } },
  ],
  'balance.set': forAddress('setBalance'),
  'faucet.give': forAddress('faucet'),
  control: ({ do: command, ...input }) => [{ command: command as ControlCommand, ...input }],
};

/** Stores instants that later steps may aim at: of a scheduled change, or when something no longer happens. */
function keepInstants({ command, id, body = {} }: ControlCall, runner: ModelRunner): void {
  const { memory, world } = runner;
  if (command === 'setApy' || command === 'setPrice') {
    const { token, in: delay, from } = body as { token: ModelToken; in?: string; from?: string };
    if (delay === undefined && from === undefined) return;
    const fromMs = delay === undefined ? Date.parse(from ?? '') : world.nowMs() + durationMs(delay);
    memory.plannedChanges.push({ kind: command === 'setApy' ? 'apy' : 'usd', token, fromMs });
  } else if (id !== undefined && command !== 'payLoan') {
    const loans = runner.names.flatMap((name) => runner.accountState(name).loans);
    const dueAtMs = loans.find((loan) => loan.id === id)?.dueAtMs ?? null;
    if (dueAtMs !== null) memory.oldDueDates.add(dueAtMs);
  }
}

/** Reports the transaction of a command that sends money to the model, and stores it for later steps; returns its signature. */
function reportedTransfer(
  { command, body = {} }: ControlCall,
  response: Answer,
  { step, runner }: { step: Step; runner: ModelRunner },
): string | undefined {
  const { signature } = (response.body ?? {}) as { signature?: unknown };
  const sends = command === 'faucet' || command === 'payLoan';
  if (!sends || response.status !== 200 || typeof signature !== 'string') return undefined;
  const { treasury, variants } = runner.world.modelConfig;
  const {
    address: to = treasury,
    token = 'USDC',
    amount,
    network = variants.network,
  } = body as { address?: string; token?: ModelToken; amount: number; network?: string };
  const ran = runner.world.ran(signature);
  const from = token === 'SOL' ? ran.feePayer : MINTED;
  const amountBase = unitsOf(amount, token);
  const isOther = token === 'USDC' && network !== variants.network;
  const transfer = { from, to, token: isOther ? 'other' : token, amountBase } as const;
  reported(step, runner, ran, { transfers: [transfer] });
  if (command === 'payLoan') runner.memory.recorded.add(signature);
  return signature;
}

async function carriedOut(call: ControlCall, step: Step, runner: ModelRunner): Promise<Played> {
  const { world, model } = runner;
  keepInstants(call, runner);
  // The model is told of a gift after the command, since the rent minimum depends on the balance before, and of a payment before it.
  const gift = call.command === 'payLoan' ? null : model.operate(call);
  const response = await world.control(call);
  const signature = reportedTransfer(call, response, { step, runner });
  const expected = gift ?? model.operate({ ...call, signature });
  const deviation = expected.judge(response);
  if (call.command === 'setBalance') runner.countFunds();
  const { code } = (response.body ?? {}) as { code?: unknown };
  return { outcome: response.status === 200 ? 'ok' : String(code), deviation };
}

/** Plays an operator's verb: its commands in order, until one is refused or deviates from the rules. */
export async function playControl(step: Step, runner: ModelRunner): Promise<Played> {
  let played: Played = { outcome: 'ok', deviation: null };
  for (const call of VERBS[step.do]?.(runner.resolve(step.with) as Args) ?? []) {
    played = await carriedOut(call, step, runner);
    if (played.outcome !== 'ok' || played.deviation !== null) break;
  }
  return played;
}
