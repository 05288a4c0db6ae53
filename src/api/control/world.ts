import type { Explanation } from '../../runtime/events/explain.js';
import type { EventLog } from '../../runtime/events/log.js';
import type { EventStreams } from '../../runtime/events/stream.js';
import type { FiredEvent } from '../../runtime/due-runner.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import type { Violation } from '../../core/domain/invariants.js';
import type { Advance, AdvanceOptions } from '../../runtime/jump-target.js';
import type { ChainApi } from '../../runtime/chain-api.js';
import type { CustomersApi } from '../../runtime/customers-api.js';
import type { JournalApi } from '../../runtime/journal-api.js';
import type { FaultsApi } from '../../runtime/faults-api.js';
import type { Bank } from '../../bank/bank.js';
import type { SimulatorConfig } from '../../runtime/config.js';
import type { AccountsApi } from '../../runtime/accounts/accounts-api.js';
import type { OracleApi } from '../../runtime/oracle-api.js';
import type { SeriesApi } from '../../runtime/series-api.js';
import type { HistoryPage } from '../../runtime/request-history.js';
import type { PageQuery } from '../../runtime/inspection/queries.js';
import type { Differences } from '../../runtime/inspection/differences.js';
import type { WalletFunding } from '../../runtime/wallet-funding.js';
import type { LoanDesk } from '../../runtime/loan-desk.js';
import type { TimeMode } from '../../world/clock.js';

/** A scenario made from a recording, and the lines without a step in it. */
export interface ConvertedRecording {
  readonly scenario: string;
  readonly steps: number;
  readonly leftOut: readonly { readonly number: number; readonly why: string }[];
}

export interface ControlWorld {
  readonly config: Pick<SimulatorConfig, 'variants' | 'cluster'>;
  /** What x402 payments are verified against. */
  readonly bank: Pick<Bank, 'addresses' | 'books' | 'reservations' | 'env'>;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
  readonly funding: WalletFunding;
  readonly accounts: AccountsApi;
  readonly oracle: OracleApi;
  readonly reviews: LoanDesk;
  readonly faults: FaultsApi;
  readonly events: EventLog;
  readonly eventStreams: EventStreams;
  readonly books: JournalApi;
  readonly customers: CustomersApi;
  readonly series: SeriesApi;
  readonly chain: Pick<
    ChainApi,
    'slot' | 'balances' | 'transactions' | 'getTransaction' | 'getAccount' | 'isRecent'
  >;
  now(): Date;
  timeMode(): TimeMode;
  setTime(mode: TimeMode | string): void;
  advance(to: Advance, options: AdvanceOptions): Promise<FiredEvent[]>;
  linkIdentity(wallet: string, links: { x: boolean; github: boolean }, cause?: RequestContext): Promise<void>;
  snapshot(): Promise<string>;
  revert(to: string | { readonly before: string }): Promise<void>;
  history(page: PageQuery): HistoryPage;
  deleteSnapshot(id: string): void;
  snapshots(): readonly string[];
  exportState(options: { withKeys?: boolean }): Promise<Uint8Array>;
  importState(state: Uint8Array): Promise<void>;
  invariants(): Promise<Violation[]>;
  explain(requestId: string): Explanation | null;
  compare(from: string, to?: string, limit?: number): Promise<Differences>;
  openFork(snapshot?: string | { readonly before: string }): Promise<{ readonly id: string }>;
  forks(): readonly string[];
  parentOf(fork: string): string | null;
  dropFork(id: string): Promise<void>;
  readonly recording: {
    state(): {
      readonly recording: boolean;
      readonly path: string | null;
      readonly inputs: number;
      /** Why the last recording ended, if it did so by itself. */
      readonly ended: string | null;
    };
    start(options?: { readonly isNew?: boolean }): Promise<void>;
    stop(): Promise<string | null>;
    /** Throws RangeError for text that is not a recording, or that cannot become a scenario. */
    toScenario(text: string, name: string): Promise<ConvertedRecording>;
  };
  /** The prefix of every path; empty except for a fork served by its parent. */
  readonly mount: string;
  /** The URL of the chain's RPC, without `mount`; null when it is not served. */
  rpcUrl(): string | null;
}
