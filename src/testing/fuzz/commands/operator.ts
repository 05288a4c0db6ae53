import fc from 'fast-check';
import {
  type ModelToken,
  type Published,
  type Answer,
  type ControlCall,
  type ControlCommand,
  MINTED,
} from '../model/types.js';
import { type Draw, chance, composed } from '../draw.js';
import type { ModelRunner, Played } from '../play/model-runner.js';
import { DAY, HOUR, durationText } from '../spans.js';
import type { Command, Drawn } from './command.js';
import type { Variants } from '../../../core/domain/variants.js';
import { amountOf, unitsOf } from '../amounts.js';
import { loanById, REVIEW_POLICIES } from '../model/loan.js';
import { hasLoan, isPending } from './actors.js';
import { lastLike } from './edges.js';
import { formerDates } from './surroundings.js';
import { defined } from '../../../core/json.js';
import { durationMs } from '../model/duration.js';
import type { Args, Step } from '../step.js';
import { reported } from './sends.js';

/** Prices, including the maximum and the least, at which money is worth nothing. */
const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001, 1e9, 1e-8, 0],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99, 1e9, 1e-8, 0],
};
/** Rates in common notations. */
const PERCENTAGES = ['5.2%', ' 0.29 %', '0%', '100%', '1.75%'];
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 2.5, 0.000001, 10];
/** When a change takes effect, from now. */
const OFFSETS = [-DAY, 0, 1, 999, 1_000, HOUR, DAY, DAY + 1, 30 * DAY, 365 * DAY];
const DELAYS = ['1ms', '90s', '1h', '1d', '30d'];

/** Mostly from now on, rarely from an instant that may have passed; often from the instant of a scheduled change. */
function later(draw: Draw, runner: ModelRunner, { kind, token }: Published): { in?: string; from?: string } {
  const nowMs = runner.world.nowMs();
  const coming = runner.memory.plannedChanges.filter(
    (each) => each.kind === kind && each.token === token && each.fromMs > nowMs,
  );
  if (coming.length > 0 && draw(chance(40)))
    return { from: new Date(draw(fc.constantFrom(...coming)).fromMs).toISOString() };
  if (draw(chance(15))) return { in: draw(fc.constantFrom(...DELAYS)) };
  return draw(chance(8)) ? { from: new Date(nowMs + draw(fc.constantFrom(...OFFSETS))).toISOString() } : {};
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  verbs: ['oracle.set'],
  weight: 1.5,
  draw: (runner) =>
    composed((draw) => {
      const token = draw(chance(75)) ? 'SOL' : 'USDC';
      const when = later(draw, runner, { kind: 'usd', token });
      const usd = draw(fc.constantFrom(...PRICES[token]));
      return { do: 'oracle.set', with: { [token === 'SOL' ? 'solUsd' : 'usdcUsd']: usd, ...when } };
    }),
  play: playControl,
};

export const SET_APY: Command = {
  name: 'setApy',
  verbs: ['oracle.set'],
  weight: 2,
  draw: (runner) =>
    composed((draw) => {
      const apy = draw(chance(85)) ? draw(fc.constantFrom(...APYS)) : draw(fc.constantFrom(...PERCENTAGES));
      const token = draw(fc.constantFrom('USDC', 'SOL'));
      const when = later(draw, runner, { kind: 'apy', token });
      return { do: 'oracle.set', with: { [token.toLowerCase()]: apy, ...when } };
    }),
  play: playControl,
};

/** Oracle outage, stale data, and recovery. Recovery is more frequent, since little else can be reached before it. */
export const ORACLE: Command = {
  name: 'oracle',
  weight: 1,
  draw: () =>
    fc
      .constantFrom('out', 'fresh', 'fresh', 'stale', 'fresh')
      .map((state) => ({ do: 'oracle', with: { state } })),
  play: playControl,
};

/** Time until the new due date of a cured loan, from now or from a former due date. */
const NEW_TERMS = [HOUR, DAY, 10 * DAY, 45 * DAY];

/** The new term of a cured loan, or undefined for its own: often later than a former due date still to come, rarely one that has passed. */
function newTerm(draw: Draw, runner: ModelRunner): { dueIn?: string; dueDate?: string } {
  const former = formerDates(runner);
  const nowMs = runner.world.nowMs();
  if (former.length > 0 && draw(chance(40)))
    return {
      dueIn: durationText(draw(fc.constantFrom(...former)) - nowMs + draw(fc.constantFrom(...NEW_TERMS))),
    };
  if (draw(chance(5)))
    return { dueDate: new Date(nowMs + draw(fc.constantFrom(0, -1, 1, DAY))).toISOString() };
  return draw(chance(50)) ? { dueIn: durationText(draw(fc.constantFrom(...NEW_TERMS))) } : {};
}

/** An operator's actions on a loan, with their verbs. */
const LOAN_WORK = {
  approve: 'review.approve',
  deny: 'review.deny',
  makeOverdue: 'loan.overdue',
  makeDefaulted: 'loan.default',
  cure: 'loan.cure',
  forgive: 'loan.cure',
} as const;
type LoanWork = keyof typeof LOAN_WORK;
const ANY_WORK = Object.keys(LOAN_WORK) as LoanWork[];

/** Actions by the state of a loan; any action for states that are not listed. */
const FITTING: Readonly<Record<string, readonly LoanWork[]>> = {
  pending_review: ['approve', 'approve', 'approve', 'approve', 'deny'],
  active: ['makeOverdue', 'makeDefaulted'],
  overdue: ['cure', 'forgive', 'makeDefaulted'],
  defaulted: ['cure', 'forgive'],
};

/** Actions that give a loan a new due date. */
const CURES: ReadonlySet<string> = new Set(['cure', 'forgive']);
const MISSED: ReadonlySet<string> = new Set(['overdue', 'defaulted']);
const REASONS = ['known well', 'too much debt: 3 loans, all open'];

/** A reviewer decides an application, or an operator changes a loan. */
export const DESK: Command = {
  name: 'desk',
  verbs: Object.values(LOAN_WORK),
  weight: 6,
  times: (runner) => (hasLoan(runner, isPending) ? 2 : 1),
  draw: (runner) =>
    composed((draw) => {
      const { loans } = runner.memory;
      if (loans.length === 0) return null;
      const statusOf = ({ reference, of }: (typeof loans)[number]) =>
        loanById(runner.accountState(of), runner.resolve(reference))?.status;
      // Few loans become overdue, so their later transitions are worth more than another decision.
      const missed = loans.filter((loan) => MISSED.has(statusOf(loan) ?? ''));
      const pending = loans.filter((loan) => statusOf(loan) === 'pending_review');
      const likely = missed.length > 0 && draw(chance(60)) ? missed : pending;
      const chosen = draw(fc.constantFrom(...(likely.length > 0 && draw(chance(60)) ? likely : loans)));
      const { reference } = chosen;
      const status = statusOf(chosen);
      const fitting = FITTING[status ?? ''] ?? ANY_WORK;
      // An active loan is mostly left alone: its own transitions matter more.
      if (status === 'active' && draw(chance(50))) return null;
      const what = draw(fc.constantFrom(...(draw(chance(90)) ? fitting : ANY_WORK)));
      const due = CURES.has(what) ? newTerm(draw, runner) : {};
      const why = draw(chance(30)) ? { reason: draw(fc.constantFrom(...REASONS)) } : {};
      const forgive = what === 'forgive' ? { forgive: true } : {};
      return { do: LOAN_WORK[what], with: { loan: reference, ...due, ...why, ...forgive } };
    }),
  play: playControl,
};

/** The operator replaces or reads the review policy. The world's initial policy, mostly a person, is drawn more often than the others. */
export const POLICY: Command = {
  name: 'review.policy',
  verbs: ['review.policy', 'control'],
  weight: 0.5,
  draw: ({ world }) => {
    const set = (policy: string): Drawn => ({ do: 'review.policy', with: { policy } });
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant<Drawn>({ do: 'control', with: { do: 'reviewPolicy' } }) },
      { weight: 32, arbitrary: fc.constant(set(world.modelConfig.variants.review)) },
      { weight: 48, arbitrary: fc.constantFrom(...REVIEW_POLICIES).map(set) },
    );
  },
  play: playControl,
};

/** The amounts that are set: 0, too little for a fee or for rent, little, and much. */
const HELD: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [0, 0.000001, 5, 20_000],
  SOL: [0, 0.000004999, 0.00089088, 2.5, 1_000],
};

/** The minimum SOL with which a wallet gets a better rating, or one lamport less, as a copy of the model predicts; null for none. */
function ratedBalance(name: string, draw: Draw, runner: ModelRunner): number | null {
  const address = runner.address(name);
  const copy = runner.model.copy();
  const rating = (lamports: bigint) => {
    const body = { address, token: 'SOL', amount: amountOf(lamports, 'SOL') };
    copy.operate({ command: 'setBalance', body });
    return copy.accountState(address).rating;
  };
  const most = unitsOf(HELD.SOL.at(-1) ?? 0, 'SOL');
  const worst = rating(0n);
  if (rating(most) === worst) return null;
  const last = lastLike(0n, most, (lamports) => rating(lamports) === worst);
  return amountOf(draw(chance(80)) ? last + 1n : last, 'SOL');
}

/** An operator sets on-chain holdings of a wallet or of its future collection address. */
export const SET_BALANCE: Command = {
  name: 'balance.set',
  weight: 1,
  draw: (runner) =>
    composed((draw) => {
      const name = draw(fc.constantFrom(...runner.names));
      const rated = draw(chance(25)) ? ratedBalance(name, draw, runner) : null;
      if (rated !== null) return { do: 'balance.set', with: { to: `\${${name}}`, sol: rated } };
      const to = draw(chance(60))
        ? `\${${name}}`
        : draw(fc.constantFrom(`\${${name}.collection}`, ...runner.strangers));
      const token = draw(chance(50)) ? 'USDC' : 'SOL';
      return {
        do: 'balance.set',
        with: { to, [token.toLowerCase()]: draw(fc.constantFrom(...HELD[token])) },
      };
    }),
  play: playControl,
};

/** Amounts from the faucet: too little, little, and enough to reach limits. */
const GIVEN = {
  USDC: [0.000001, 2.5, 1_200],
  SOL: [0.000000001, 0.000885881, 0.00089088, 2, 8],
  other: [1],
} as const;

/** USDC of the other network, from the faucet. */
export function otherUsdc(address: string, amount: number, { network }: Pick<Variants, 'network'>): Drawn {
  const other = network === 'mainnet' ? 'devnet' : 'mainnet';
  return { do: 'control', with: { do: 'faucet', body: { address, amount, token: 'USDC', network: other } } };
}

/** The faucet sends SOL, USDC or tokens of the other mint by a transaction, so that the bank sees a deposit. */
export const FAUCET: Command = {
  name: 'faucet.give',
  verbs: ['faucet.give', 'control'],
  weight: 1,
  draw: (runner) =>
    composed((draw) => {
      const name = draw(fc.constantFrom(...runner.names));
      const to = draw(fc.constantFrom(`\${${name}}`, `\${${name}}`, `\${${name}.collection}`, '${treasury}'));
      const address = draw(chance(85)) ? to : draw(fc.constantFrom(...runner.strangers));
      const token = draw(fc.constantFrom('USDC', 'USDC', 'SOL', 'SOL', 'other'));
      const amount = draw(fc.constantFrom<number[]>(...GIVEN[token]));
      return token === 'other'
        ? otherUsdc(address, amount, runner.world.modelConfig.variants)
        : { do: 'faucet.give', with: { to: address, [token.toLowerCase()]: amount } };
    }),
  play: playControl,
};

/** Another payer repays a loan: in full, in part, or with a surplus. */
export const PAY_LOAN: Command = {
  name: 'loan.pay',
  weight: 0.5,
  draw: (runner) =>
    composed((draw) => {
      const { loans } = runner.memory;
      if (loans.length === 0) return null;
      const { reference, of } = draw(fc.constantFrom(...loans));
      const loan = loanById(runner.accountState(of), runner.resolve(reference));
      const owed = Number(loan?.outstandingBase ?? 0n);
      const units = draw(fc.constantFrom(owed, owed, owed + 1, owed - 1, 1, 25_000_000));
      return {
        do: 'loan.pay',
        with: { loan: reference, amount: amountOf(BigInt(Math.max(1, units)), 'USDC') },
      };
    }),
  play: playControl,
};

/** Links identities of an agent; `by` repeats the agent, for statistics and shrinking. */
export const LINK: Command = {
  name: 'identity.link',
  weight: 1,
  draw: ({ names }) =>
    fc
      .record({
        by: fc.constantFrom(...names),
        with: fc.record({ x: chance(70), github: chance(70) }),
      })
      .map(({ by, with: links }) => ({ do: 'identity.link', by, with: { of: `\${${by}}`, ...links } })),
  play: playControl,
};

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
