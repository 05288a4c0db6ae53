import type { Deviation } from './difference.js';
import type { EndpointId } from '../../../contract/endpoints.js';
import type { BankLimits } from '../../../core/domain/bank-limits.js';
import type { Variants } from '../../../core/domain/variants.js';

export type ModelToken = 'USDC' | 'SOL';

/** Amounts of both tokens in base units: USDC has 6 decimals, SOL 9. */
export type BaseAmounts = Readonly<Record<ModelToken, bigint>>;

/** Notations of a request; most have the same meaning. `full` is as long as the service reads, `overfull` one byte longer. */
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
  /** The amount is larger than any number. */
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
  /** The notation of its request, if it is sent as a request. */
  readonly spelling?: Spelling | undefined;
}

/** A response. Members that hold amounts may have a `toJSON()` that returns the number. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A value of the oracle: the APY of a token's savings, or its price in USD. */
export interface Published {
  readonly kind: 'apy' | 'usd';
  readonly token: ModelToken;
}

/** Commands of the control interface that change or show state that the rules cover. */
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

/** Commands whose responses are checked separately from `ControlCommand`. */
export type OtherCommand = 'advance';

export interface ControlCall {
  readonly command: ControlCommand;
  readonly id?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Signature of the transaction that the command made; the rules book its transfers. */
  readonly signature?: string | undefined;
}

/** A fault of a transaction of the bank in flight, or of the response about one. */
export type TransactionTrouble =
  | { readonly kind: 'lost' }
  /** It arrives this much later, possibly too late for its blockhash. */
  | { readonly kind: 'late'; readonly ms: number }
  /** It is executed, but confirmed this much later; 0 when the next call finds it confirmed. */
  | { readonly kind: 'unconfirmed'; readonly ms: number };

/** Faults injected into one call. */
export interface Trouble {
  readonly oracleIsOut: boolean;
  /** The chain is unreachable, both to submit and to look up transactions. */
  readonly chainIsOut: boolean;
  /** Null when transactions arrive and are confirmed immediately. */
  readonly transaction: TransactionTrouble | null;
  /** Whether the service's process ends before it responds. */
  readonly isKilled: boolean;
}

export interface WalletFacts {
  readonly lamports: bigint;
  readonly transactions: number;
  /** Time of the first of them; null for none. */
  readonly firstSeenMs: number | null;
}

/** The sender of minted tokens. */
export const MINTED = '';

export interface Transfer {
  /** Sending wallet (not token account), which signed unless `delegate` did; `MINTED` for new tokens. */
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
  /** Whether it failed, so that only its fee was charged. */
  readonly hasFailed: boolean;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  readonly signers: readonly string[];
  /** In the order of its instructions, including inner ones. */
  readonly transfers: readonly Transfer[];
  /** Wallets that may send the signer's tokens from now on. */
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

export interface ModelConfig {
  readonly variants: Variants;
  readonly limits: BankLimits;
  readonly callerLimits: CallerLimits;
  readonly startMs: number;
  readonly treasury: string;
  readonly protocol: string;
  /** Initial balances of treasury, lending protocol and wallets, by address. */
  readonly holdings: Readonly<Record<string, BaseAmounts>>;
  /** Wallets that initially have token accounts for USDC and for the other mint. */
  readonly tokenHolders: readonly string[];
  /** Public key that signs receipts, in base58. */
  readonly receiptIssuer: string;
  readonly usdcMint: string;
  /** CAIP-2. */
  readonly network: string;
  readonly collectionOf: (wallet: string) => string;
  /** The address of a wallet's account for USDC, whether it exists or not. */
  readonly tokenAccountOf: (wallet: string) => string;
  /** Decimal, such as 0.017. */
  readonly apy: Readonly<Record<ModelToken, number>>;
  /** USD per whole token. */
  readonly price: Readonly<Record<ModelToken, number>>;
  /** How long a price remains valid while the data is stale; null for unlimited. */
  readonly oracleMaxAgeMs: number | null;
  readonly withdrawalDelayMs: number;
  /** Whether an account below the rent minimum may be credited and stay below it (SIMD-0392): true on litesvm, false on bankrun. */
  readonly creditsBelowRent: boolean;
}

/** An agent's state in the model, which determines how the next command is drawn. */
export interface AccountState {
  readonly isCustomer: boolean;
  readonly checking: BaseAmounts;
  readonly savings: BaseAmounts;
  /** Yield that was earned but not withdrawn. */
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
  /** Whether the bank sent a withdrawal or payment whose outcome it does not know. */
  readonly hasUnderWay: boolean;
  /** The consequences of the credit score, as text that is equal for equal consequences. */
  readonly rating: string;
  /** The types of its latest records. */
  readonly recordTypes: readonly string[];
  readonly loans: readonly StandingLoan[];
  /** The credit limit less the debt of credit lines, without open applications; may be negative. */
  readonly creditLeftBase: bigint;
}

export interface StandingLoan {
  /** Null until a response contains it. */
  readonly id: string | null;
  readonly status: 'pending_review' | 'denied' | 'active' | 'overdue' | 'repaid' | 'defaulted';
  readonly outstandingBase: bigint;
  /** Null until it is approved. */
  readonly dueAtMs: number | null;
}

/** A point at which other calls may run while a call is carried out. */
export type Pause =
  /** Its Idempotency-Key is in use from here on. `isScarce` when no key may be left for another call. */
  | { readonly kind: 'key'; readonly isScarce: boolean }
  /** Its transaction is about to be sent, or was executed and is not booked. */
  | { readonly kind: 'chain' }
  /** It repeats a call in progress, and returns that call's response. */
  | { readonly kind: 'repeat'; readonly isOver: () => boolean }
  /** Other calls are supplying the treasury. */
  | { readonly kind: 'turn'; readonly isOver: () => boolean };

/** A call that is carried out in parts. */
export type Steps<T> = Generator<Pause, T>;

/**
 * The expected response to a call. `judge` compares a response and lets the model learn what only the service can know (ids, signatures).
 * It returns the first difference, or null. Pass null for a lost response: nothing is compared, and the model assumes the expected result.
 */
export interface Expectation {
  readonly status: number;
  /** The error code; null for a success. */
  readonly code: string | null;
  judge(response: Answer | null): Deviation | null;
}

/** An independent implementation of the service's rules. Its numbers are exact. */
export interface ServiceModel {
  /** World time in milliseconds. */
  readonly nowMs: number;
  /** A deep copy: changes to one do not affect the other. */
  copy(): ServiceModel;
  /** The expected response to a call now. Updates the model as if the call had been made. */
  expect(call: ApiCall, trouble: Trouble): Expectation;
  /** Like `expect`, for a call without faults that may overlap with others. It runs from the first step of the generator to the last. */
  begin(call: ApiCall): Steps<Expectation>;
  /** Advances time, processing everything due on the way. Returns the expected response to the operator. */
  advance(toMs: number): Expectation;
  /** Reports an executed external transaction. */
  sent(transaction: SeenTransaction): void;
  /** The expected response to a command of the control interface. Updates the model as if the command had been carried out. */
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
  /** The ids of queued withdrawals in the order in which they are carried out; null for one that no response has contained. */
  queued(): readonly (string | null)[];
  /** Expected on-chain balances of an address. */
  holds(address: string): BaseAmounts;
}
