import type { Explanation } from '../events/explain.js';
import type { EventLog } from '../events/log.js';
import type { EventStreams } from '../events/stream.js';
import type { FiredEvent } from '../bank/due.js';
import type { Cause } from '../domain/cause.js';
import type { Violation } from '../domain/invariants.js';
import type { Token } from '../domain/money.js';
import type { Advance, AdvanceOptions } from '../library/jump.js';
import type { BooksFace } from '../library/books-face.js';
import type { FaultFace } from '../library/fault-face.js';
import type { OracleFace } from '../library/oracle-face.js';
import type { Purse } from '../library/purse.js';
import type { ReviewFace } from '../library/review-face.js';
import type { TimeMode } from '../world/clock.js';

/** What the control interface can do to a world. */
export interface ControlWorld {
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
  readonly purse: Pick<Purse, 'made' | 'deposit'>;
  readonly oracle: OracleFace;
  readonly reviews: ReviewFace;
  readonly faults: FaultFace;
  readonly events: EventLog;
  readonly eventStreams: EventStreams;
  readonly books: BooksFace;
  readonly chain: {
    slot(): number;
    balances(wallet: string): Promise<{ lamports: bigint; usdcBase: bigint }>;
  };
  now(): Date;
  timeMode(): TimeMode;
  setTime(mode: TimeMode | string): void;
  advance(to: Advance, options: AdvanceOptions): Promise<FiredEvent[]>;
  faucet(
    address: string,
    amount: number,
    token: Token,
    network?: 'mainnet' | 'devnet',
    cause?: Cause,
  ): Promise<{ signature: string }>;
  setBalance(address: string, amount: number, token: Token): Promise<void>;
  linkIdentity(wallet: string, links: { x: boolean; github: boolean }): void;
  snapshot(): Promise<string>;
  revert(id: string): Promise<void>;
  drop(id: string): void;
  snapshots(): readonly string[];
  exportState(options: { withKeys?: boolean }): Promise<Uint8Array>;
  importState(state: Uint8Array): Promise<void>;
  invariants(): Promise<Violation[]>;
  explain(requestId: string): Explanation | null;
  createFundedWallet(
    gifts: { readonly SOL?: number | undefined; readonly USDC?: number | undefined },
    cause: Cause,
  ): Promise<{ readonly address: string; readonly secretKey: string }>;
  openFork(snapshot?: string): Promise<{ readonly id: string }>;
  forks(): readonly string[];
  dropFork(id: string): Promise<void>;
  readonly recording: {
    state(): {
      readonly recording: boolean;
      readonly path: string | null;
      readonly inputs: number;
      /** Why the last one has ended, when it did so by itself. */
      readonly ended: string | null;
    };
    start(): Promise<void>;
    stop(): Promise<string | null>;
  };
  /** Where the chain's RPC is served; null when it is not. */
  rpcUrl(): string | null;
}
