import fc from 'fast-check';
import type { Variants } from '../../../core/domain/variants.js';
import { defined } from '../../../core/json.js';
import { amountOf } from '../amounts.js';
import { loanById } from '../model/loan.js';
import { REVIEW_POLICIES } from '../model/review-policy.js';
import { type Answer, type ControlCall, MINTED, type ModelToken, type Transfer } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import { type Draw, chance, composed } from '../draw.js';
import { DAY, HOUR } from '../spans.js';
import type { Step } from '../step.js';
import { hasLoan, isPending } from './actors.js';
import type { Command } from './command.js';
import { operate } from './play-call.js';
import { reported } from './sends.js';
import { formerDates } from './surroundings.js';

/** Time until the new due date of a cured loan, from now or from a former due date. */
const NEW_TERMS = [HOUR, DAY, 10 * DAY, 45 * DAY];

/** The new term of a cured loan, or undefined for its own: often later than a former due date still to come, rarely one that has passed. */
function newTerm(draw: Draw, runner: ModelRunner): { dueIn?: number; dueAt?: number } {
  const former = formerDates(runner);
  const nowMs = runner.world.nowMs();
  if (former.length > 0 && draw(chance(40)))
    return { dueIn: draw(fc.constantFrom(...former)) - nowMs + draw(fc.constantFrom(...NEW_TERMS)) };
  if (draw(chance(5))) return { dueAt: nowMs + draw(fc.constantFrom(0, -1, 1, DAY)) };
  return draw(chance(50)) ? { dueIn: draw(fc.constantFrom(...NEW_TERMS)) } : {};
}

/** An operator's actions on a loan, with the commands that carry them out and their verbs in scenarios. */
export const LOAN_WORK = {
  approve: { command: 'approve', verb: 'review.approve' },
  deny: { command: 'deny', verb: 'review.deny' },
  makeOverdue: { command: 'overdueLoan', verb: 'loan.overdue' },
  makeDefaulted: { command: 'defaultLoan', verb: 'loan.default' },
  cure: { command: 'cureLoan', verb: 'loan.cure' },
  forgive: { command: 'cureLoan', verb: 'loan.cure' },
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

export interface LoanAction {
  readonly what: LoanWork;
  readonly loan: string;
  readonly dueIn?: number;
  readonly dueAt?: number;
  readonly reason?: string;
}

/** The members of an action's command, without the loan. `spanText` writes milliseconds as a duration. */
export function loanTerms({ what, dueIn, dueAt, reason }: LoanAction, spanText: (ms: number) => string) {
  return defined({
    reason,
    dueIn: dueIn === undefined ? undefined : spanText(dueIn),
    dueDate: dueAt === undefined ? undefined : new Date(dueAt).toISOString(),
    forgive: what === 'forgive' ? true : undefined,
  });
}

/** A reviewer decides an application, or an operator changes a loan. */
export const DESK: Command = {
  name: 'desk',
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
      return { do: 'desk', with: { what, loan: reference, ...due, ...why } };
    }),
  play: (step, runner) => {
    const work = runner.resolve(step.with) as unknown as LoanAction;
    const loans = runner.names.flatMap((name) => runner.accountState(name).loans);
    const dueAtMs = loans.find(({ id }) => id === work.loan)?.dueAtMs ?? null;
    if (dueAtMs !== null) runner.memory.oldDueDates.add(dueAtMs);
    const body = loanTerms(work, (ms) => `${ms}ms`);
    return operate({ command: LOAN_WORK[work.what].command, id: work.loan, body }, runner);
  },
};

/** The operator replaces or reads the review policy. The world's initial policy, mostly a person, is drawn more often than the others. */
export const POLICY: Command = {
  name: 'policy',
  weight: 0.5,
  draw: ({ world }) =>
    fc
      .oneof(
        { weight: 20, arbitrary: fc.constant({}) },
        { weight: 32, arbitrary: fc.constant({ policy: world.modelConfig.variants.review }) },
        { weight: 48, arbitrary: fc.constantFrom(...REVIEW_POLICIES).map((policy) => ({ policy })) },
      )
      .map((args) => ({ do: 'policy', with: args })),
  play: ({ with: args }, runner) =>
    operate(
      'policy' in args ? { command: 'setReviewPolicy', body: args } : { command: 'reviewPolicy' },
      runner,
    ),
};

/** Lamports and millionths of a USDC: 0, too little for a fee or for rent, little, and much. */
const HELD: Readonly<Record<ModelToken, readonly bigint[]>> = {
  USDC: [0n, 1n, 5_000_000n, 20_000_000_000n],
  SOL: [0n, 4_999n, 890_880n, 2_500_000_000n, 1_000_000_000_000n],
};

/** The minimum lamports with which a wallet gets a better rating, or one less, as a copy of the model predicts; null for none. */
function ratedBalance(name: string, draw: Draw, runner: ModelRunner): number | null {
  const address = runner.address(name);
  const copy = runner.model.copy();
  const rating = (lamports: bigint) => {
    const body = { address, token: 'SOL', amount: amountOf(lamports, 'SOL') };
    copy.operate({ command: 'setBalance', body });
    return copy.accountState(address).rating;
  };
  let [low, high] = [0n, HELD.SOL.at(-1) as bigint];
  const worst = rating(low);
  if (rating(high) === worst) return null;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (rating(middle) === worst) low = middle;
    else high = middle;
  }
  return Number(draw(chance(80)) ? high : low);
}

/** An operator sets on-chain holdings of a wallet or of its future collection address. */
export const SET_BALANCE: Command = {
  name: 'setBalance',
  weight: 1,
  draw: (runner) =>
    composed((draw) => {
      const name = draw(fc.constantFrom(...runner.names));
      const rated = draw(chance(25)) ? ratedBalance(name, draw, runner) : null;
      if (rated !== null)
        return { do: 'setBalance', with: { to: `\${${name}}`, token: 'SOL', units: rated } };
      const to = draw(chance(60))
        ? `\${${name}}`
        : draw(fc.constantFrom(`\${${name}.collection}`, ...runner.strangers));
      const token = draw(chance(50)) ? 'USDC' : 'SOL';
      return { do: 'setBalance', with: { to, token, units: Number(draw(fc.constantFrom(...HELD[token]))) } };
    }),
  play: async ({ with: args }, runner) => {
    const { to, token, units } = runner.resolve(args) as { to: string; token: ModelToken; units: number };
    const body = { address: to, token, amount: amountOf(BigInt(units), token) };
    const played = await operate({ command: 'setBalance', body }, runner);
    runner.countFunds();
    return played;
  },
};

/** Millionths and lamports from the faucet: too little, little, and enough to reach limits. */
const GIVEN: Readonly<Record<string, readonly number[]>> = {
  USDC: [1, 2_500_000, 1_200_000_000],
  SOL: [1, 885_881, 890_880, 2_000_000_000, 8_000_000_000],
  other: [1_000_000],
};

/** The recipient's gain from an operator's transaction, as in the response. */
function reportedTransfer(
  step: Step,
  runner: ModelRunner,
  { response, transfer }: { response: Answer; transfer: Omit<Transfer, 'from'> },
): string | null {
  const { signature } = (response.body ?? {}) as { signature?: unknown };
  if (response.status !== 200 || typeof signature !== 'string') return null;
  const ran = runner.world.ran(signature);
  const from = transfer.token === 'SOL' ? ran.feePayer : MINTED;
  reported(step, runner, ran, { transfers: [{ ...transfer, from }] });
  return signature;
}

/** The arguments of a faucet step. */
export interface Gift {
  readonly to: string;
  readonly token: Transfer['token'];
  readonly units: number;
}

/** The body of a faucet call. The other mint is the other network's USDC. */
export function faucetBody({ to, token, units }: Gift, variants: Pick<Variants, 'network'>) {
  const named = token === 'SOL' ? 'SOL' : 'USDC';
  const network = variants.network === 'mainnet' ? 'devnet' : 'mainnet';
  const other = token === 'other' ? { network } : {};
  return { address: to, amount: amountOf(BigInt(units), named), token: named, ...other };
}

/** The faucet sends SOL, USDC or tokens of the other mint by a transaction, so that the bank sees a deposit. */
export const FAUCET: Command = {
  name: 'faucet',
  weight: 1,
  draw: (runner) =>
    composed((draw) => {
      const name = draw(fc.constantFrom(...runner.names));
      const to = draw(fc.constantFrom(`\${${name}}`, `\${${name}}`, `\${${name}.collection}`, '${treasury}'));
      const address = draw(chance(85)) ? to : draw(fc.constantFrom(...runner.strangers));
      const token = draw(fc.constantFrom('USDC', 'USDC', 'SOL', 'SOL', 'other'));
      return {
        do: 'faucet',
        with: { to: address, token, units: draw(fc.constantFrom(...(GIVEN[token] as number[]))) },
      };
    }),
  play: async (step, runner) => {
    const gift = runner.resolve(step.with) as unknown as Gift;
    const { world, model } = runner;
    const call: ControlCall = { command: 'faucet', body: faucetBody(gift, world.modelConfig.variants) };
    const expected = model.operate(call);
    const response = await world.control(call);
    const { to, token, units } = gift;
    reportedTransfer(step, runner, { response, transfer: { to, token, amountBase: BigInt(units) } });
    return { outcome: expected.code ?? 'ok', deviation: expected.judge(response) };
  },
};

/** Another payer repays a loan: in full, in part, or with a surplus. */
export const PAY_LOAN: Command = {
  name: 'payLoan',
  weight: 0.5,
  draw: (runner) =>
    composed((draw) => {
      const { loans } = runner.memory;
      if (loans.length === 0) return null;
      const { reference, of } = draw(fc.constantFrom(...loans));
      const loan = loanById(runner.accountState(of), runner.resolve(reference));
      const owed = Number(loan?.outstandingBase ?? 0n);
      const units = draw(fc.constantFrom(owed, owed, owed + 1, owed - 1, 1, 25_000_000));
      return { do: 'payLoan', with: { loan: reference, units: Math.max(1, units) } };
    }),
  play: async (step, runner) => {
    const { loan, units } = runner.resolve(step.with) as { loan: string; units: number };
    const { world, model } = runner;
    const amountBase = BigInt(units);
    const call: ControlCall = {
      command: 'payLoan',
      id: loan,
      body: { amount: amountOf(amountBase, 'USDC') },
    };
    const response = await world.control(call);
    const transfer = { to: world.modelConfig.treasury, token: 'USDC', amountBase } as const;
    const signature = reportedTransfer(step, runner, { response, transfer });
    if (signature !== null) runner.memory.recorded.add(signature);
    const expected = model.operate({ ...call, signature: signature ?? undefined });
    return { outcome: expected.code ?? 'ok', deviation: expected.judge(response) };
  },
};

export const LINK: Command = {
  name: 'link',
  weight: 1,
  draw: ({ names }) =>
    fc.record({
      do: fc.constant('link'),
      by: fc.constantFrom(...names),
      with: fc.record({ x: chance(70), github: chance(70) }),
    }),
  play: ({ by = '', with: links }, runner) =>
    operate({ command: 'linkIdentity', body: { wallet: runner.address(by), ...links } }, runner),
};
