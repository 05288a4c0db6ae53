import type { EndpointId } from '../../../contract/endpoints.js';
import type { Variants } from '../../../core/domain/variants.js';

export type ModelToken = 'USDC' | 'SOL';

/** Amounts of both tokens in base units: USDC has 6 decimals, SOL 9. */
export type BaseAmounts = Readonly<Record<ModelToken, bigint>>;

/** A call of the service as it is sent. */
export interface ApiCall {
  readonly operation: EndpointId;
  /** The Authorization header; null for none. */
  readonly authorization: string | null;
  /** `{id}` of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** As text, as it stands in the URL. */
  readonly query: Readonly<Record<string, string>>;
  /** The JSON value; undefined for none. */
  readonly body: unknown;
  /** The Idempotency-Key header; null for none. */
  readonly key: string | null;
}

/** What came back. Members that hold amounts may have `toJSON()`, which gives the number. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What goes wrong on purpose during one call; each member is false in calm weather. */
export interface Trouble {
  /** The oracle is out for this call. */
  readonly oracleIsOut: boolean;
  /** The chain cannot be reached when the bank hands a transaction to it. */
  readonly chainIsOut: boolean;
}

/** What the chain tells of a wallet. It is the ground on which the bank is judged, and is not judged itself. */
export interface WalletFacts {
  readonly lamports: bigint;
  /** Transactions that name it. */
  readonly transactions: number;
  /** When the first of them ran; null for none. */
  readonly firstSeenMs: number | null;
}

/** One transfer in a transaction. */
export interface Transfer {
  /** Wallet (not token account) that it comes from, which has signed, unless `delegate` has. */
  readonly from: string;
  /** Wallet (not token account) that it goes to. */
  readonly to: string;
  /** `other` is a mint that is not the bank's USDC, `wrapped` is wrapped SOL in a token account. */
  readonly token: ModelToken | 'other' | 'wrapped';
  readonly amountBase: bigint;
}

/** A transaction from outside that the chain has run. */
export interface SeenTransaction {
  readonly signature: string;
  /** Whether it failed, so that only its fee was charged. */
  readonly hasFailed: boolean;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  readonly signers: readonly string[];
  /** In the order of its instructions, inner ones included. */
  readonly transfers: readonly Transfer[];
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/** The world that a model begins with. */
export interface ModelConfig {
  readonly variants: Variants;
  readonly startMs: number;
  readonly treasury: string;
  /** base58 of the key that signs receipts. */
  readonly receiptIssuer: string;
  readonly usdcMint: string;
  /** CAIP-2. */
  readonly network: string;
  /** The collection address of a customer. */
  readonly collectionOf: (wallet: string) => string;
  /** What the chain tells of an address now. */
  readonly onChain: (address: string) => WalletFacts;
  /** Decimal, such as 0.017. */
  readonly apy: Readonly<Record<ModelToken, number>>;
  /** USD for one whole token. */
  readonly price: Readonly<Record<ModelToken, number>>;
  /** How long a price is good while the data is stale; null for ever. */
  readonly oracleMaxAgeMs: number | null;
  readonly withdrawalDelayMs: number;
}

/** What the drawing of the next command may want to aim at: an agent as the model sees it. */
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
  /** USDC savings that may be withdrawn. */
  readonly unlockedSavingsBase: bigint;
  /** What of the limits is used, in millionths of a USD. */
  readonly withdrawnMicroUsd: bigint;
  readonly paidMicroUsd: bigint;
  readonly loans: readonly StandingLoan[];
}

export interface StandingLoan {
  /** Null while no answer has told it. */
  readonly id: string | null;
  readonly status: 'pending_review' | 'denied' | 'active' | 'overdue' | 'repaid' | 'defaulted';
  readonly outstandingBase: bigint;
}

/**
 * What a call should be answered with. `judge` compares, and lets the model learn what only the service can know (ids,
 * signatures). It gives the first difference in words, with expected and actual, or null. An answer that was lost is null: nothing is
 * compared, and the model goes on with what should have happened.
 */
export interface Expectation {
  readonly status: number;
  /** The error code; null for a success. */
  readonly code: string | null;
  judge(answer: Answer | null): string | null;
}

/** An independent statement of the service's rules. Its numbers are exact. */
export interface ServiceModel {
  /** The world's time. */
  readonly nowMs: number;
  /** The same model again; what happens to one does not happen to the other. */
  copy(): ServiceModel;
  /** What the call should be answered with now. The model goes on as if it had been made. */
  expect(call: ApiCall, trouble: Trouble): Expectation;
  /** Time goes on to an instant; what falls due on the way happens. */
  advance(toMs: number): void;
  /** A transaction from outside has run. */
  sent(transaction: SeenTransaction): void;
  setApy(token: ModelToken, apy: number): void;
  setPrice(token: ModelToken, usd: number): void;
  setOutage(isOut: boolean): void;
  setStale(isStale: boolean): void;
  /** A reviewer decides. Gives whether that can be done. */
  approve(loanId: string): boolean;
  deny(loanId: string): boolean;
  /** An operator makes a loan overdue, defaulted, or cures it (`docs/fidelity.md`). Gives whether that can be done. */
  makeOverdue(loanId: string): boolean;
  makeDefaulted(loanId: string): boolean;
  cure(loanId: string, how: { forgive: boolean }): boolean;
  linkIdentity(wallet: string, links: { x: boolean; github: boolean }): void;
  accountState(wallet: string): AccountState;
  /**
   * What the chain should hold in token accounts and lamports because of the service, for each address that the service has sent money
   * to: the sum of what it has sent there (withdrawals and x402 payments that came off), in base units.
   */
  sentByBank(): ReadonlyMap<string, BaseAmounts>;
}
