import { GRACE_MS } from '../model/credit.js';
import type { ModelToken } from '../model/types.js';
import type { Random } from '../random.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { FuzzWorld } from '../world.js';
import type { Command } from './command.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const DONE: Played = { outcome: 'ok', deviation: null };

/** Time spans at whose ends something expires, falls due or resets. */
const SPANS = [
  SECOND,
  60 * SECOND,
  299 * SECOND,
  300 * SECOND,
  HOUR - SECOND,
  HOUR,
  HOUR + SECOND,
  DAY - SECOND,
  DAY,
  DAY + SECOND,
  2 * DAY,
  7 * DAY,
  30 * DAY - 1,
  30 * DAY,
  31 * DAY,
  60 * DAY,
  90 * DAY,
  365 * DAY,
];
const RARELY = [10 * 365 * DAY, 1, 999];

/** The delays of faults, the lives of challenges, of tokens, keys and limits, and of what is overdue; and a year, after which yields and interest are whole. */
const LIVES = [20 * SECOND, 300 * SECOND, DAY, DAY, 30 * DAY, 365 * DAY];

/** How many of the latest instants are looked back at. */
const LATEST = 12;

/** Due dates and defaults to come that no longer apply, since an operator gave the loan another date. */
function formerDates({ memory, world }: ModelRunner): number[] {
  const nowMs = world.nowMs();
  return [...memory.oldDueDates].flatMap((atMs) => [atMs, atMs + GRACE_MS]).filter((atMs) => atMs > nowMs);
}

/** When loans fall due and when they would have: mostly the latter where there are any to come. */
function dueDatesOf(random: Random, runner: ModelRunner, former: readonly number[]): readonly number[] {
  if (former.length > 0 && random.chance(70)) return former;
  const now = runner.names.flatMap((name) => runner.accountState(name).loans.map(({ dueAtMs }) => dueAtMs));
  return [...now.filter((atMs) => atMs !== null), ...runner.memory.oldDueDates];
}

/** Time until the end of a span that began with something that happened, or until an instant that an answer named; null for none. */
function untilEnd(random: Random, runner: ModelRunner, former: readonly number[]): number | null {
  const { memory, world } = runner;
  const instants = [...memory.instants].slice(-LATEST);
  const dueDates = random.chance(former.length > 0 ? 70 : 30) ? dueDatesOf(random, runner, former) : [];
  const known = dueDates.length > 0 ? dueDates : instants;
  if (known.length === 0) return null;
  const nowMs = world.nowMs();
  const instant = random.pick(known);
  const endMs = instant > nowMs ? instant : instant + random.pick(LIVES);
  const ms = endMs + random.pick([0, 0, 0, 1, -1]) - nowMs;
  return ms > 0 ? ms : null;
}

/** Time until the next UTC midnight, or one millisecond before it. */
function untilMidnight(nowMs: number): number {
  return DAY - (nowMs % DAY);
}

export const ADVANCE: Command = {
  name: 'advance',
  weight: 6,
  draw: (random, runner) => {
    // Seldom is there a due date that was changed: then it is mostly waited for.
    const former = formerDates(runner);
    const end = random.chance(former.length > 0 ? 75 : 40) ? untilEnd(random, runner, former) : null;
    if (end !== null) return { do: 'advance', with: { ms: end } };
    const how = random.below(100);
    const left = untilMidnight(runner.world.nowMs());
    const ms = how < 12 ? left : how < 18 ? Math.max(1, left - 1) : random.pick(how < 96 ? SPANS : RARELY);
    return { do: 'advance', with: { ms } };
  },
  play: async (step, runner) => {
    const ms = step.with['ms'] as number;
    runner.memory.instants.add(runner.world.nowMs());
    await runner.world.advance(ms);
    runner.model.advance(runner.world.nowMs());
    return DONE;
  },
};

const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99],
};
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 0.000001];

function tokenOf(value: unknown): ModelToken {
  return value === 'SOL' ? 'SOL' : 'USDC';
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  weight: 1,
  draw: (random) => {
    const token = random.chance(75) ? 'SOL' : 'USDC';
    return { do: 'setPrice', with: { token, usd: random.pick(PRICES[token]) } };
  },
  play: async ({ with: args }, runner) => {
    const token = tokenOf(args['token']);
    const usd = args['usd'] as number;
    runner.world.setPrice(token, usd);
    runner.model.setPrice(token, usd);
    runner.memory.prices.set(token, usd);
    return DONE;
  },
};

export const SET_APY: Command = {
  name: 'setApy',
  weight: 1,
  draw: (random) => ({ do: 'setApy', with: { token: random.pick(['USDC', 'SOL']), apy: random.pick(APYS) } }),
  play: async ({ with: args }, runner) => {
    const token = tokenOf(args['token']);
    runner.world.setApy(token, args['apy'] as number);
    runner.model.setApy(token, args['apy'] as number);
    return DONE;
  },
};

/** Oracle outage, stale data, and recovery: recovery is more frequent, or little else would be reached. */
export const ORACLE: Command = {
  name: 'oracle',
  weight: 1,
  draw: (random) => ({
    do: 'oracle',
    with: { state: random.pick(['out', 'fresh', 'fresh', 'stale', 'fresh']) },
  }),
  play: async ({ with: args }, { world, model }) => {
    const state = args['state'];
    for (const side of [world, model]) {
      side.setOutage(state === 'out');
      side.setStale(state === 'stale');
    }
    return DONE;
  },
};

/** From now, or from a former due date, until the new one of a cured loan. */
const NEW_TERMS = [HOUR, DAY, 10 * DAY, 45 * DAY];

/** The new term of a cured loan, or nothing for its own: often after a former date that is still to come. */
function newTerm(random: Random, runner: ModelRunner): { dueIn?: number } {
  const former = formerDates(runner);
  if (former.length > 0 && random.chance(40))
    return { dueIn: random.pick(former) - runner.world.nowMs() + random.pick(NEW_TERMS) };
  return random.chance(50) ? { dueIn: random.pick(NEW_TERMS) } : {};
}

type DeskWork = Parameters<FuzzWorld['loanAction']>[0];
/** An operator's actions on a loan by its state; any action for states not listed. */
const DESK_WORK: Readonly<Record<string, readonly DeskWork[]>> = {
  pending_review: ['approve', 'approve', 'approve', 'approve', 'deny'],
  active: ['makeOverdue', 'makeDefaulted'],
  overdue: ['cure', 'forgive', 'makeDefaulted'],
  defaulted: ['cure', 'forgive'],
};
const ANY_WORK: readonly DeskWork[] = ['approve', 'deny', 'makeOverdue', 'makeDefaulted', 'cure', 'forgive'];

/** Work that gives a loan a new due date. */
const CURES: ReadonlySet<string> = new Set(['cure', 'forgive']);

interface AtDesk {
  readonly what: DeskWork;
  readonly loan: string;
  readonly dueIn?: number;
}

function inModel({ what, loan: loanId, dueIn }: AtDesk, { model }: ModelRunner): boolean {
  switch (what) {
    case 'approve':
      return model.approve(loanId);
    case 'deny':
      return model.deny(loanId);
    case 'makeOverdue':
      return model.makeOverdue(loanId);
    case 'makeDefaulted':
      return model.makeDefaulted(loanId);
    case 'cure':
      return model.cure(loanId, { forgive: false, dueInMs: dueIn ?? null });
    case 'forgive':
      return model.cure(loanId, { forgive: true, dueInMs: dueIn ?? null });
  }
}

const MISSED: ReadonlySet<string> = new Set(['overdue', 'defaulted']);

/** A reviewer decides an application, or an operator changes a loan. */
export const DESK: Command = {
  name: 'desk',
  weight: 6,
  draw: (random, runner) => {
    const { loans } = runner.memory;
    if (loans.length === 0) return null;
    const statusOf = ({ reference, of }: (typeof loans)[number]) => {
      const id = runner.resolve(reference);
      return runner.accountState(of).loans.find((loan) => loan.id !== null && loan.id === id)?.status;
    };
    // Few loans are missed, and what happens to them then is worth more than another decision.
    const missed = loans.filter((loan) => MISSED.has(statusOf(loan) ?? ''));
    const chosen = random.pick(missed.length > 0 && random.chance(60) ? missed : loans);
    const { reference } = chosen;
    const status = statusOf(chosen);
    const fitting = DESK_WORK[status ?? ''] ?? ANY_WORK;
    // An active loan is mostly left alone: its own transitions matter more.
    if (status === 'active' && random.chance(50)) return null;
    const what = random.pick(random.chance(90) ? fitting : ANY_WORK);
    const due = CURES.has(what) ? newTerm(random, runner) : {};
    return { do: 'desk', with: { what, loan: reference, ...due } };
  },
  play: async (step, runner) => {
    const work = runner.resolve(step.with) as unknown as AtDesk;
    const { what, loan } = work;
    const loans = runner.names.flatMap((name) => runner.accountState(name).loans);
    const dueAtMs = loans.find(({ id }) => id === loan)?.dueAtMs ?? null;
    if (dueAtMs !== null) runner.memory.oldDueDates.add(dueAtMs);
    const expected = inModel(work, runner);
    const isDone = runner.world.loanAction(what, loan, work.dueIn);
    const deviation = isDone === expected ? null : ({ kind: 'desk', what, loan, expected } as const);
    return { outcome: isDone ? 'ok' : 'refused', deviation };
  },
};

/** Scripts of one and two steps, so that the last one is soon taken, and what may come after it. */
export const POLICIES = [
  'manual',
  'auto',
  'delay:1h',
  'script:approve',
  'script:deny,approve',
  'script:approve,deny,after:auto',
  'script:delay:1h,auto,after:delay:1d',
  'script:manual,approve,after:manual',
] as const;

/** The operator replaces the review policy. That of the world, mostly a person, comes back more often than others come. */
export const POLICY: Command = {
  name: 'policy',
  weight: 0.5,
  draw: (random, { world }) => {
    const own = POLICIES.find((policy) => policy === world.modelConfig.variants.review) ?? 'manual';
    return { do: 'policy', with: { policy: random.chance(40) ? own : random.pick(POLICIES) } };
  },
  play: async ({ with: { policy } }, { world, model }) => {
    for (const side of [world, model]) side.setReviewPolicy(policy as string);
    return DONE;
  },
};

/** Base units that are left to the treasury: the bank is soon short, but can pay fees. */
const LEFT: Readonly<Record<ModelToken, readonly bigint[]>> = {
  USDC: [0n, 5_000_000n, 100_000_000n, 1_000_000_000n],
  SOL: [1_100_000_000n, 2_000_000_000n, 6_000_000_000n],
};

/** The tokens that lie at collection addresses: what a bank that is short of them has to sweep. */
function tokensToSweep(runner: ModelRunner): ModelToken[] {
  const { names, world } = runner;
  const held = names.map((name) => world.holdings(world.modelConfig.collectionOf(runner.address(name))));
  return (['USDC', 'SOL'] as const).filter((token) => held.some((each) => each[token] > 0n));
}

/** The treasury loses most of its money, so that the bank has to call savings back and to sweep collection addresses. */
export const DRAIN: Command = {
  name: 'drain',
  weight: 1,
  draw: (random, runner) => {
    const toSweep = tokensToSweep(runner);
    const isSwept = toSweep.length > 0 && random.chance(70);
    const token = isSwept ? random.pick(toSweep) : random.chance(60) ? 'USDC' : 'SOL';
    return { do: 'drain', with: { token, left: Number(random.pick(LEFT[token])) } };
  },
  play: async ({ with: args }, { world, model, memory, strangers: [to = ''] }) => {
    const token = tokenOf(args['token']);
    const done = await world.drain(token, BigInt(args['left'] as number), to);
    if (done === null) return { outcome: 'idle', deviation: null };
    memory.isDrained = true;
    const { ran, amountBase } = done;
    const { treasury } = world.modelConfig;
    model.sent({ ...ran, transfers: [{ from: treasury, to, token, amountBase }] });
    return DONE;
  },
};

/** Lamports and millionths of a USDC: nothing, too little for a fee or for rent, little, and much. */
const HELD: Readonly<Record<ModelToken, readonly bigint[]>> = {
  USDC: [0n, 1n, 5_000_000n, 20_000_000_000n],
  SOL: [0n, 4_999n, 890_880n, 2_500_000_000n, 1_000_000_000_000n],
};

/** An operator writes what a wallet holds on chain, or an address where its money is collected once it is a customer. */
export const SET_BALANCE: Command = {
  name: 'setBalance',
  weight: 1,
  draw: (random, runner) => {
    const name = random.pick(runner.names);
    const to = random.chance(60)
      ? `\${${name}}`
      : random.pick([`\${${name}.collection}`, ...runner.strangers]);
    const token = random.chance(50) ? 'USDC' : 'SOL';
    return { do: 'setBalance', with: { to, token, units: Number(random.pick(HELD[token])) } };
  },
  play: async ({ with: args }, runner) => {
    const { to, token, units } = runner.resolve(args) as { to: string; token: ModelToken; units: number };
    const expected = runner.model.setBalance(to, token, BigInt(units));
    const isDone = await runner.world.setBalance(to, token, BigInt(units));
    runner.countFunds();
    const deviation =
      isDone === expected ? null : `setBalance: it should be ${expected ? 'done' : 'refused'}, and is not`;
    return { outcome: isDone ? 'ok' : 'refused', deviation };
  },
};

/** An operator links a person's accounts to an agent. */
export const LINK: Command = {
  name: 'link',
  weight: 1,
  draw: (random, runner) => ({
    do: 'link',
    by: random.pick(runner.names),
    with: { x: random.chance(70), github: random.chance(70) },
  }),
  play: async ({ by = '', with: args }, runner) => {
    const links = args as { x: boolean; github: boolean };
    runner.world.linkIdentity(runner.address(by), links);
    runner.model.linkIdentity(runner.address(by), links);
    return DONE;
  },
};
