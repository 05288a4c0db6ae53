import type fc from 'fast-check';
import type { Command } from '../commands/command.js';
import { weighted } from '../draw.js';
import type { FuzzTransport } from '../world.js';
import { PROPERTY_NAMES } from './property-names.js';
import type { CampaignValue } from './campaign-value.js';
import { InvalidCampaign, NOTHING_TO_DRAW } from '../invalid-campaign.js';
import { ALL_GOALS, EDGE_GOALS, LOAN_GOALS, reachable } from './goals.js';

/** A search strategy: which commands are drawn, and how often. */
export interface Property {
  readonly name: (typeof PROPERTY_NAMES)[number];
  readonly description: string;
  /** Factors for the weights of commands; `others` applies to those not listed. */
  readonly times: Readonly<Record<string, number>>;
  readonly others: number;
  /** Goals from `ALL_GOALS` that it should reach. Default: all. */
  readonly goals?: readonly string[];
  /** How calls reach the service. Default: `direct`. */
  readonly transport?: FuzzTransport;
  /** Plays in worlds with different limits, drawn from the seed and the run number. */
  readonly variesLimits?: boolean;
}

/** Codes for transactions that are recorded as deposits or payments. */
const EVIDENCE = [
  'code transaction_not_found',
  'code transaction_failed',
  'code transaction_not_to_bank',
  'code amount_mismatch',
  'code token_mismatch',
  'code transaction_already_recorded',
  'code sender_mismatch',
];

/** The properties of the fuzzer. All use the same model and rules; they differ in the states and calls that they explore. */
export const PROPERTIES: readonly Property[] = [
  { name: 'everything', description: 'every command, weighted by importance', times: {}, others: 1 },
  {
    name: 'limits',
    description: 'daily limits and LTV at their edges, across midnight and price changes',
    times: {
      withdraw: 4,
      x402Pay: 4,
      collateralBorrow: 3,
      savingsWithdraw: 3,
      savingsDeposit: 2,
      'time.advance': 2,
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
      ...EDGE_GOALS,
    ],
  },
  {
    name: 'signatures',
    description: 'transactions recorded twice, by others, or with the wrong mint, amount or recipient',
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
    description: 'scores, applications, loans in all their states, interest',
    times: {
      loanApply: 4,
      loanRepay: 4,
      loan: 3,
      loans: 4,
      profile: 4,
      eligibility: 4,
      desk: 4,
      'identity.link': 3,
      'time.advance': 3,
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
      'code loan_applications_full',
      'code loan_not_active',
      'code loan_not_found',
      'code collateral_limit_exceeded',
      'code no_outstanding_loan',
      'code transaction_already_recorded',
      ...LOAN_GOALS,
    ],
  },
  {
    name: 'races',
    description: 'overlapping calls, checked against every order',
    times: {
      overlap: 12,
      send: 1,
      x402Request: 1,
      signIn: 1,
      'time.advance': 0.5,
      loanApply: 1,
      desk: 1,
      account: 1,
    },
    others: 0.2,
    goals: ['overlapping calls that collide', 'response lost'],
  },
  {
    name: 'sign-in',
    description: 'challenges, signatures and tokens used twice, by others or too late',
    times: { challenge: 12, verify: 30, signIn: 6, account: 3, 'time.advance': 3, transactions: 2, loan: 1 },
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
  {
    name: 'http',
    description: 'every command, as HTTP requests in all notations',
    times: {},
    others: 1,
    transport: 'http',
  },
  {
    name: 'other-limits',
    description: 'every command, under random limits; a counterexample contains them',
    times: {},
    others: 1,
    variesLimits: true,
  },
];

/** Looks up a property by name. Throws InvalidCampaign if it does not exist. */
export function propertyOf(name: string): Property {
  const property = PROPERTIES.find((each) => each.name === name);
  if (property === undefined)
    throw new InvalidCampaign(`there is no property ${name}; there are ${PROPERTY_NAMES.join(', ')}`);
  return property;
}

/** The goals of a campaign: the goals of its property that it can reach. */
export function goalsOf({
  property,
  world: { limits },
  variesLimits,
}: Pick<CampaignValue, 'property' | 'world' | 'variesLimits'>): readonly string[] {
  const goals = propertyOf(property).goals ?? ALL_GOALS;
  return reachable(goals, { limits, variesLimits });
}

/** Percentage of the sequences of `everything` that are drawn as for another property. Overlapping calls take long. */
const SHARES: readonly (readonly [name: Property['name'], percent: number])[] = [
  ['limits', 10],
  ['signatures', 10],
  ['credit', 10],
  ['sign-in', 10],
  ['races', 3],
];

type Choice = Pick<CampaignValue, 'only' | 'weights'>;

/** The commands of a property with custom weights applied. Commands that are not listed keep their weights; `only` excludes all others. */
export function commandsOf(
  commands: readonly Command[],
  { times, others }: Property,
  { only, weights }: Choice,
): readonly Command[] {
  return commands
    .map((command) => {
      const weight = weights[command.name] ?? command.weight * (times[command.name] ?? others);
      return { ...command, weight };
    })
    .filter(({ name, weight }) => weight > 0 && (only.length === 0 || only.includes(name)));
}

/**
 * The draw functions for a campaign with a property: its own commands and, for `everything`, sometimes another property's commands, which
 * are better at what takes many steps of few kinds. Throws InvalidCampaign when weights leave no commands.
 */
export function commandsFor(
  commands: readonly Command[],
  property: Property,
  choice: Choice,
): fc.Arbitrary<readonly Command[]> {
  const shares = property.others === 1 && choice.only.length === 0 ? SHARES : [];
  const rest = 100 - shares.reduce((sum, [, percent]) => sum + percent, 0);
  const sets = [[property.name, rest] as const, ...shares]
    .map(([name, percent]) => [commandsOf(commands, propertyOf(name), choice), percent] as const)
    .filter(([drawn]) => drawn.length > 0);
  if (sets.length === 0) throw new InvalidCampaign(NOTHING_TO_DRAW);
  return weighted(sets);
}
