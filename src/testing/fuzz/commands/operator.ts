import { amountOf } from '../amounts.js';
import type { ControlCall, ModelToken } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Random } from '../random.js';
import type { Json } from '../step.js';
import type { Command } from './command.js';
import { operate } from './operate.js';
import { formerDates } from './surroundings.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** From now, or from a former due date, until the new one of a cured loan. */
const NEW_TERMS = [HOUR, DAY, 10 * DAY, 45 * DAY];

/** The new term of a cured loan, or nothing for its own: often after a former date that is still to come, and seldom one that has passed. */
function newTerm(random: Random, runner: ModelRunner): { dueIn?: number; dueAt?: number } {
  const former = formerDates(runner);
  const nowMs = runner.world.nowMs();
  if (former.length > 0 && random.chance(40))
    return { dueIn: random.pick(former) - nowMs + random.pick(NEW_TERMS) };
  if (random.chance(5)) return { dueAt: nowMs + random.pick([0, -1, 1, DAY]) };
  return random.chance(50) ? { dueIn: random.pick(NEW_TERMS) } : {};
}

/** An operator's actions on a loan, and the commands that carry them out. */
export const LOAN_WORK = {
  approve: 'approve',
  deny: 'deny',
  makeOverdue: 'overdueLoan',
  makeDefaulted: 'defaultLoan',
  cure: 'cureLoan',
  forgive: 'cureLoan',
} as const;
type LoanWork = keyof typeof LOAN_WORK;
const ANY_WORK = Object.keys(LOAN_WORK) as LoanWork[];

/** Actions by the state of a loan; any for states not listed. */
const FITTING: Readonly<Record<string, readonly LoanWork[]>> = {
  pending_review: ['approve', 'approve', 'approve', 'approve', 'deny'],
  active: ['makeOverdue', 'makeDefaulted'],
  overdue: ['cure', 'forgive', 'makeDefaulted'],
  defaulted: ['cure', 'forgive'],
};

/** Work that gives a loan a new due date. */
const CURES: ReadonlySet<string> = new Set(['cure', 'forgive']);
const MISSED: ReadonlySet<string> = new Set(['overdue', 'defaulted']);
const REASONS = ['known well', 'too much debt: 3 loans, all open'];

interface AtDesk {
  readonly what: LoanWork;
  readonly loan: string;
  readonly dueIn?: number;
  readonly dueAt?: number;
  readonly reason?: string;
}

function callOf({ what, loan, dueIn, dueAt, reason }: AtDesk): ControlCall {
  const due = dueIn === undefined ? {} : { dueIn: `${dueIn}ms` };
  const date = dueAt === undefined ? {} : { dueDate: new Date(dueAt).toISOString() };
  const forgive = what === 'forgive' ? { forgive: true } : {};
  const why = reason === undefined ? {} : { reason };
  return {
    command: LOAN_WORK[what],
    id: loan,
    body: { ...due, ...date, ...forgive, ...why },
  };
}

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
    const fitting = FITTING[status ?? ''] ?? ANY_WORK;
    // An active loan is mostly left alone: its own transitions matter more.
    if (status === 'active' && random.chance(50)) return null;
    const what = random.pick(random.chance(90) ? fitting : ANY_WORK);
    const due = CURES.has(what) ? newTerm(random, runner) : {};
    const why = random.chance(30) ? { reason: random.pick(REASONS) } : {};
    return { do: 'desk', with: { what, loan: reference, ...due, ...why } };
  },
  play: (step, runner) => {
    const work = runner.resolve(step.with) as unknown as AtDesk;
    const loans = runner.names.flatMap((name) => runner.accountState(name).loans);
    const dueAtMs = loans.find(({ id }) => id === work.loan)?.dueAtMs ?? null;
    if (dueAtMs !== null) runner.memory.oldDueDates.add(dueAtMs);
    return operate(callOf(work), runner);
  },
};

const STATUSES = ['pending_review', 'denied', 'active', 'overdue', 'repaid', 'defaulted'];

/** What the operator sees of an agent's loans, page by page. */
export const LOAN_LIST: Command = {
  name: 'loanList',
  weight: 1,
  draw: (random, { names, memory }) => {
    const of = memory.loans.length > 0 ? random.pick(memory.loans).of : random.pick(names);
    const status = random.chance(30) ? { status: random.pick(STATUSES) } : {};
    const page = random.chance(30) ? { limit: String(1 + random.below(3)) } : {};
    const offset = random.chance(30) ? { offset: String(random.below(3)) } : {};
    return { do: 'loanList', with: { wallet: `\${${of}}`, ...status, ...page, ...offset } };
  },
  play: (step, runner) =>
    operate({ command: 'loans', query: runner.resolve(step.with) as Record<string, string> }, runner),
};

/** Scripts of few steps, so that the last one is soon taken, and what may come after it. */
export const POLICIES = [
  'manual',
  'auto',
  'delay:1h',
  'delay:1h30m',
  'script:approve',
  'script:deny,approve',
  'script:deny:too much debt: 3 loans, approve: known well ',
  'script:approve,deny,after:auto',
  'script:delay:1500ms,auto,after:delay:1d',
  'script:manual,approve,after:manual',
] as const;

/** Scripts with reasons of any characters. */
const SCRIPTS: readonly Json[] = [
  {
    script: [{ deny: 'too much debt, and nothing saved' }, 'approve', { approve: 'after all' }],
    after: 'auto',
  },
  { script: ['approve:once'] },
];

/** The operator replaces the review policy, or looks at it. That of the world, mostly a person, comes back more often than others come. */
export const POLICY: Command = {
  name: 'policy',
  weight: 0.5,
  draw: (random, { world }) => {
    if (random.chance(20)) return { do: 'policy', with: {} };
    const own = POLICIES.find((policy) => policy === world.modelConfig.variants.review) ?? 'manual';
    const other = random.chance(85) ? random.pick(POLICIES) : random.pick(SCRIPTS);
    return { do: 'policy', with: { policy: random.chance(40) ? own : other } };
  },
  play: ({ with: args }, runner) =>
    operate(
      'policy' in args ? { command: 'setReviewPolicy', body: args } : { command: 'reviewPolicy' },
      runner,
    ),
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
    const body = { address: to, token, amount: amountOf(BigInt(units), token) };
    const played = await operate({ command: 'setBalance', body }, runner);
    runner.countFunds();
    return played;
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
  play: ({ by = '', with: links }, runner) =>
    operate({ command: 'linkIdentity', body: { wallet: runner.address(by), ...links } }, runner),
};
