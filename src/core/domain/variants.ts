import type { ErrorCode, ErrorStatus } from './errors.js';

/** Switches for behaviour that the published descriptions leave open; defaults first in docs/reference/fidelity.md. */
export interface Variants {
  readonly overview: 'merged' | 'A' | 'B';
  readonly score: '0-1000' | '300-850';
  readonly purposes: 'union' | 'six' | 'four';
  readonly duration: 'optional' | 'required';
  readonly historyTypes: 'all' | 'no-credit';
  readonly withdrawals: 'instant' | 'queued';
  readonly dailyWindow: 'utc-day' | 'rolling-24h';
  /** How often a payment request may be paid. */
  readonly paymentRequests: 'once' | 'repeatedly';
  /** `manual`, `auto` or `delay:<duration>`. */
  readonly review: string;
  readonly network: 'mainnet' | 'devnet';
  readonly errorStatus: Readonly<Partial<Record<ErrorCode, ErrorStatus>>>;
}

export const DEFAULT_VARIANTS: Variants = {
  overview: 'merged',
  score: '0-1000',
  purposes: 'union',
  duration: 'optional',
  historyTypes: 'all',
  withdrawals: 'instant',
  dailyWindow: 'utc-day',
  paymentRequests: 'once',
  review: 'manual',
  network: 'mainnet',
  errorStatus: {},
};

const SIX = [
  'task',
  'working_capital',
  'liquidity_provision',
  'market_neutral',
  'directional_trading',
  'speculative',
] as const;
const FOUR = ['task', 'working_capital', 'liquidity_provision', 'trading'] as const;

/** The loan purposes allowed by each `purposes` switch. */
export const PURPOSES: Readonly<Record<Variants['purposes'], readonly string[]>> = {
  union: [...SIX, 'trading'],
  six: SIX,
  four: FOUR,
};
