import fc from 'fast-check';
import type { Variants } from '../../../core/domain/variants.js';
import { amountOf, unitsOf } from '../amounts.js';
import { loanById } from '../model/loan.js';
import { REVIEW_POLICIES } from '../model/review-policy.js';
import type { ModelToken } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import { type Draw, chance, composed } from '../draw.js';
import { DAY, HOUR, durationText } from '../spans.js';
import { hasLoan, isPending } from './actors.js';
import type { Command, Drawn } from './command.js';
import { playControl } from './control.js';
import { lastLike } from './edges.js';
import { formerDates } from './surroundings.js';

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
