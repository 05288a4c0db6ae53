import type { Deviation } from './difference.js';
import type { EndpointId } from '../../../contract/endpoints.js';
import type { BankLimits } from '../../../core/domain/bank-limits.js';
import type { Variants } from '../../../core/domain/variants.js';

export type ModelToken = 'USDC' | 'SOL';

/** Amounts of both tokens in base units: USDC has 6 decimals, SOL 9. */
export type BaseAmounts = Readonly<Record<ModelToken, bigint>>;

/** Other ways to write a request, most of which mean the same; `full` is as long as the service reads, `overfull` a byte longer. */
export const SPELLINGS = [
  'escapes',
  'exponents',
  'decimals',
  'spaces',
  'twice',
  'backwards',
  'mark',
  'full',
  'overfull',
  'headers',
  /** Its amount is larger than any number. */
  'infinite',
] as const;
export type Spelling = (typeof SPELLINGS)[number];

export interface ApiCall {
  readonly operation: EndpointId;
  /** The Authorization header; null for none. */
  readonly authorization: string | null;
  /** The `{id}` of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Strings, as they appear in the URL. */
  readonly query: Readonly<Record<string, string>>;
  /** The JSON value; undefined for none. */
  readonly body: unknown;
  /** The Idempotency-Key header; null for none. */
  readonly key: string | null;
  /** How its request is written, where it is one. */
  readonly spelling?: Spelling | undefined;
}

/** An answer. Members that hold amounts may have a `toJSON()` that returns the number. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A value of the oracle: the APY of a token's savings, or its price in USD. */
export interface Published {
  readonly kind: 'apy' | 'usd';
  readonly token: ModelToken;
}

/** A span of time, with both of its ends. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Commands of the control interface that change or show what the rules speak of. */
export type ControlCommand =
  | 'setApy'
  | 'setPrice'
  | 'setOutage'
  | 'setStale'
  | 'approve'
  | 'deny'
  | 'overdueLoan'
  | 'defaultLoan'
  | 'cureLoan'
  | 'reviewPolicy'
  | 'setReviewPolicy'
  | 'linkIdentity'
  | 'setBalance'
  | 'faucet'
  | 'payLoan';

/** Commands whose answers are judged in other ways than those of `ControlCommand`. */
export type OtherCommand = 'advance';

export interface ControlCall {
  readonly command: ControlCommand;
  readonly id?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Of the transaction that it made, for what the rules book of it. */
  readonly signature?: string | undefined;
}

/** What happens to a transaction of the bank on its way, or to the answer about one. */
export type TransactionTrouble =
  | { readonly kind: 'lost' }
  /** It arrives so much later, which may be too late for its blockhash. */
  | { readonly kind: 'late'; readonly ms: number }
  /** It runs, and is confirmed so much later; 0 when the next call learns of it. */
  | { readonly kind: 'unconfirmed'; readonly ms: number };

/** Faults injected into one call. */
export interface Trouble {
  readonly oracleIsOut: boolean;
  /** The chain cannot be reached, neither to submit a transaction nor to look one up. */
  readonly chainIsOut: boolean;
  /** Null when transactions arrive and are confirmed at once. */
  readonly transaction: TransactionTrouble | null;
  /** Whether the service's process ends before it answers. */
  readonly isKilled: boolean;
}

/** What the chain knows about a wallet. */
export interface WalletFacts {
  readonly lamports: bigint;
  readonly transactions: number;
  /** When the first of them was executed; null for none. */
  readonly firstSeenMs: number | null;
}

/** The sender of tokens that were minted. */
export const MINTED = '';

export interface Transfer {
  /** Sending wallet (not token account), which signed, unless `delegate` did; `MINTED` for tokens that nobody had. */
  readonly from: string;
  /** Receiving wallet (not token account). */
  readonly to: string;
  /** `other` is a mint other than the bank's USDC, `wrapped` is wrapped SOL in a token account. */
  readonly token: ModelToken | 'other' | 'wrapped';
  readonly amountBase: bigint;
}

/** An external transaction that the chain has executed. */
export interface SeenTransaction {
  readonly signature: string;
  /** Whether it failed; then only its fee was charged. */
  readonly hasFailed: boolean;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  readonly signers: readonly string[];
  /** In the order of its instructions, including inner ones. */
  readonly transfers: readonly Transfer[];
  /** Who may from now on send the signer's tokens. */
  readonly delegate?: string | undefined;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/** Limits on what callers may use. Source: docs/reference/limits.md. */
export interface CallerLimits {
  readonly idempotencyKeys: number;
  readonly loanApplications: number;
  readonly openApplications: number;
}

/** The initial configuration of a model. */
export interface ModelConfig {
  readonly variants: Variants;
  /** The limits of the bank. */
  readonly limits: BankLimits;
  /** Limits on callers. */
  readonly callerLimits: CallerLimits;
  readonly startMs: number;
  readonly treasury: string;
  readonly protocol: string;
  /** What treasury, lending protocol and wallets hold when the world begins, by address. */
  readonly holdings: Readonly<Record<string, BaseAmounts>>;
  /** Wallets that have token accounts for USDC, and for the other mint, when the world begins. */
  readonly tokenHolders: readonly string[];
  /** Public key that signs receipts, in base58. */
  readonly receiptIssuer: string;
  readonly usdcMint: string;
  /** CAIP-2. */
  readonly network: string;
  /** Returns the collection address of a customer. */
  readonly collectionOf: (wallet: string) => string;
  /** Decimal, such as 0.017. */
  readonly apy: Readonly<Record<ModelToken, number>>;
  /** USD per whole token. */
  readonly price: Readonly<Record<ModelToken, number>>;
  /** How long a price remains valid while the data is stale; null for ever. */
  readonly oracleMaxAgeMs: number | null;
  readonly withdrawalDelayMs: number;
  /**
   * Whether an account below the rent minimum may be credited and stay below it, by SIMD-0392: on litesvm, not on bankrun.
   */
  readonly creditsBelowRent: boolean;
}

/** An agent's state in the model, which guides how the next command is drawn. */
export interface AccountState {
  readonly isCustomer: boolean;
  readonly checking: BaseAmounts;
  readonly savings: BaseAmounts;
  /** Yield earned and not withdrawn. */
  readonly earned: BaseAmounts;
  readonly collateralLimitBase: bigint;
  /** Principal and interest. */
  readonly collateralDebtBase: bigint;
  readonly availableToBorrowBase: bigint;
  /** USDC savings that are not locked. */
  readonly unlockedSavingsBase: bigint;
  /** The daily limits and their used parts, in millionths of a USD. */
  readonly withdrawalLimitMicroUsd: bigint;
  readonly withdrawnMicroUsd: bigint;
  readonly paymentLimitMicroUsd: bigint;
  readonly paidMicroUsd: bigint;
  /** Whether a withdrawal or payment was sent whose outcome the bank does not know. */
  readonly hasUnderWay: boolean;
  /** What the credit score leads to, in words that are equal for equal consequences. */
  readonly rating: string;
  /** The types of its latest records. */
  readonly recordTypes: readonly string[];
  readonly loans: readonly StandingLoan[];
  /** The credit limit less what is owed on credit lines, without open applications; may be negative. */
  readonly creditLeftBase: bigint;
}

export interface StandingLoan {
  /** Null until an answer contains it. */
  readonly id: string | null;
  readonly status: 'pending_review' | 'denied' | 'active' | 'overdue' | 'repaid' | 'defaulted';
  readonly outstandingBase: bigint;
  /** Null until it is approved. */
  readonly dueAtMs: number | null;
}

/** Where other calls may come in between while one is carried out. */
export type Pause =
  /** Its Idempotency-Key is in use from here on. `isScarce` when another call may then find no key left. */
  | { readonly kind: 'key'; readonly isScarce: boolean }
  /** A transaction of it is sent next, or has run and is not booked. */
  | { readonly kind: 'chain' }
  /** It repeats a call that is under way, whose answer it gets. */
  | { readonly kind: 'repeat'; readonly isOver: () => boolean }
  /** Others are supplying a treasury that is short of funds. */
  | { readonly kind: 'turn'; readonly isOver: () => boolean };

/** A call that is carried out piece by piece. */
export type Steps<T> = Generator<Pause, T>;

/**
 * The expected answer to a call. `judge` compares an answer and lets the model learn what only the service can know (ids, signatures). It
 * returns the first difference, or null. Pass null for a lost answer: nothing is compared, and
 * the model assumes the expected result.
 */
export interface Expectation {
  readonly status: number;
  /** The error code; null for a success. */
  readonly code: string | null;
  judge(answer: Answer | null): Deviation | null;
}

/** An independent implementation of the service's rules. Its numbers are exact. */
export interface ServiceModel {
  /** World time in milliseconds. */
  readonly nowMs: number;
  /** A deep copy: changes to one do not affect the other. */
  copy(): ServiceModel;
  /** The expected answer to a call now. Updates the model as if the call had been made. */
  expect(call: ApiCall, trouble: Trouble): Expectation;
  /** Like `expect`, for a call without faults that other calls may overlap: it begins with the first step, and ends with the last. */
  begin(call: ApiCall): Steps<Expectation>;
  /** Advances time, processing everything due on the way. Returns the expected answer to the operator who does it. */
  advance(toMs: number): Expectation;
  /** Reports an external transaction that was executed. */
  sent(transaction: SeenTransaction): void;
  /** The expected answer to a command of the control interface. Updates the model as if it had been carried out. */
  operate(call: ControlCall): Expectation;
  /** USD per whole token now. */
  price(token: ModelToken): number;
  accountState(wallet: string): AccountState;
  /** Savings of a token that the bank would call back from the lending protocol, in base units. */
  toCallBack(token: ModelToken): bigint;
  /**
   * Expected on-chain balances due to the service, by recipient: the sum of its successful transfers there (withdrawals and x402
   * payments), in base units of tokens and lamports.
   */
  sentByBank(): ReadonlyMap<string, BaseAmounts>;
  /** The ids of queued withdrawals in the order in which they are carried out; null for one that no answer has told. */
  queued(): readonly (string | null)[];
  /** Expected on-chain balances of an address. */
  holds(address: string): BaseAmounts;
}
