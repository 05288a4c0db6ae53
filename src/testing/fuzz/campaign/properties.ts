import type { Command } from '../commands/command.js';
import { GOALS } from './goals.js';
import type { Part } from './parts.js';

/** A search strategy: which commands are drawn, and how often. */
export interface Property {
  readonly name: string;
  readonly description: string;
  /** Factors for the weights of commands; `others` applies to those not listed. */
  readonly times: Readonly<Record<string, number>>;
  readonly others: number;
  /** What it is to reach, of `GOALS`; absent for all of them. */
  readonly goals?: readonly string[];
}

/** States at the edges of limits, which several properties aim at. */
const EDGES = [
  'daily withdrawal limit exactly full',
  'daily payment limit exactly full',
  'LTV exactly full',
  'interest over the LTV',
  'checking emptied',
  'savings all locked',
  'yield earned',
];

/** Codes of transactions that are recorded as deposits or payments. */
const EVIDENCE = [
  'code transaction_not_found',
  'code transaction_failed',
  'code transaction_not_to_bank',
  'code amount_mismatch',
  'code token_mismatch',
  'code transaction_already_recorded',
  'code sender_mismatch',
];

const LOANS = [
  'loan pending_review',
  'loan denied',
  'loan active',
  'loan overdue',
  'loan repaid',
  'loan defaulted',
];

/** The properties of the fuzzer. All use the same model and rules; they differ in where they search. */
export const PROPERTIES: readonly Property[] = [
  { name: 'everything', description: 'every command, each as often as it matters', times: {}, others: 1 },
  {
    name: 'limits',
    description: 'daily limits and LTV at their edges, over midnight and changes of prices',
    times: {
      withdraw: 4,
      x402Pay: 4,
      collateralBorrow: 3,
      savingsWithdraw: 3,
      savingsDeposit: 2,
      advance: 2,
      setPrice: 8,
      deposit: 1,
      send: 1,
      signIn: 1,
      account: 1,
    },
    others: 0,
    goals: [
      'code insufficient_balance',
      'code insufficient_savings',
      'code collateral_locked',
      'code collateral_limit_exceeded',
      'code daily_limit_exceeded',
      ...EDGES,
    ],
  },
  {
    name: 'signatures',
    description: 'transactions that are recorded twice, stolen, of the wrong mint, sum or recipient',
    times: {
      send: 3,
      deposit: 4,
      x402Receive: 4,
      loanRepay: 2,
      x402Pay: 2,
      allow: 3,
      replay: 4,
      desk: 1,
      loanApply: 2,
      signIn: 1,
    },
    others: 0,
    goals: [...EVIDENCE, 'loan active', 'loan repaid'],
  },
  {
    name: 'credit',
    description: 'scores, applications, loans through all their states, interest',
    times: {
      loanApply: 4,
      loanRepay: 4,
      loan: 3,
      loans: 4,
      profile: 4,
      eligibility: 4,
      desk: 4,
      link: 3,
      advance: 3,
      collateralBorrow: 2,
      collateralRepay: 2,
      send: 1,
      deposit: 1,
      replay: 4,
      savingsDeposit: 1,
      signIn: 1,
    },
    others: 0,
    goals: [
      'code loan_amount_out_of_range',
      'code too_many_applications',
      'code loan_not_active',
      'code loan_not_found',
      'code collateral_limit_exceeded',
      'code no_outstanding_loan',
      'code transaction_already_recorded',
      ...LOANS,
    ],
  },
  {
    name: 'races',
    description: 'calls that overlap, checked against every order of them',
    times: {
      overlap: 12,
      send: 1,
      x402Request: 1,
      signIn: 1,
      advance: 0.5,
      loanApply: 1,
      desk: 1,
      account: 1,
    },
    others: 0.2,
    goals: ['overlapping calls that collide', 'answer lost'],
  },
  {
    name: 'sign-in',
    description: 'challenges, signatures and tokens, used twice, by others and too late',
    times: { challenge: 12, verify: 30, signIn: 6, account: 3, advance: 3, transactions: 2, loan: 1 },
    others: 0.1,
    goals: [
      'code missing_token',
      'code invalid_token',
      'code token_expired',
      'code challenge_unknown',
      'code challenge_expired',
      'code challenge_used',
      'code invalid_signature',
    ],
  },
];

/** The goals of a property. */
export function goalsOf(name: string): readonly string[] {
  return PROPERTIES.find((property) => property.name === name)?.goals ?? GOALS;
}

/** What takes as long as many other steps, and is drawn often enough by itself. */
const COSTLY: ReadonlySet<string> = new Set(['races']);

/** The commands of a property with custom weights applied: commands not listed keep theirs; `only` excludes all others. */
export function weighted(
  commands: readonly Command[],
  property: Property,
  own: { readonly only: readonly string[]; readonly weights: Readonly<Record<string, number>> },
): readonly Command[] {
  const { times, others } = property;
  return commands
    .map((command) => {
      const weight = own.weights[command.name] ?? command.weight * (times[command.name] ?? others);
      return { ...command, weight };
    })
    .filter(({ name, weight }) => weight > 0 && (own.only.length === 0 || own.only.includes(name)));
}

/**
 * The parts of a campaign with a property: its own commands, and for `everything` now and then those of another one. What takes many steps
 * of few kinds is drawn far more often there.
 */
export function partsOf(
  commands: readonly Command[],
  property: Property,
  own: Parameters<typeof weighted>[2],
): readonly Part[] {
  const part = (of: Property, weight: number): Part => ({
    name: of.name,
    weight,
    commands: weighted(commands, of, own),
  });
  if (property !== PROPERTIES[0] || own.only.length > 0) return [part(property, 1)];
  const others = PROPERTIES.filter((other) => other !== property && !COSTLY.has(other.name));
  // Three of five sequences draw from all.
  return [part(property, others.length * 1.5), ...others.map((other) => part(other, 1))];
}
