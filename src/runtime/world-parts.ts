import type { Bank } from '../bank/bank.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import type { SimulatorConfig } from './config.js';
import type { DevWallet } from './dev-wallets.js';
import type { EmbeddedChain } from './embedded-chain.js';
import type { EventLog } from './events/log.js';
import type { Faults } from './faults/fault-rules.js';
import type { Scheduler } from './scheduler.js';
import type { SnapshotStore } from './snapshot-store.js';

/** The parts of a world. What works on a world picks those that it needs. */
export interface WorldParts {
  readonly config: SimulatorConfig;
  /** Seeds the secrets of tokens and receipts; the world's seed unless `freshSecrets` is set. */
  readonly secretSeed: string;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly bank: Bank;
  /** `null` on a cluster. */
  readonly embedded: EmbeddedChain | null;
  /** The wallets that are funded at genesis; none on a cluster. */
  readonly wallets: readonly DevWallet[];
  readonly faults: Faults;
  readonly events: EventLog;
  readonly scheduler: Scheduler;
  readonly snapshots: SnapshotStore;
  /** Resolves before a response may be sent; null when there is nothing to wait for. */
  readonly whenDurable: () => Promise<void> | null;
}
