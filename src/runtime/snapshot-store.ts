import type { Bank, BankSnapshot } from '../bank/bank.js';
import { TOKENS } from '../core/domain/money.js';
import type { FaultsSnapshot, Faults } from './faults/faults.js';
import type { Clock, ClockSnapshot } from '../world/clock.js';
import type { Oracle, OracleSnapshot } from '../world/oracle.js';
import type { Scheduler } from './scheduler.js';
import type { EmbeddedChainSnapshot, EmbeddedChain } from './embedded-chain.js';

/** The state of a world at one instant, as a value. */
export interface WorldSnapshot {
  readonly bank: BankSnapshot;
  readonly ground: EmbeddedChainSnapshot;
  readonly clock: ClockSnapshot;
  readonly oracle: OracleSnapshot;
  /** The instant up to which changes of rates and prices have been reported. */
  readonly seenMs: number;
  readonly faults: FaultsSnapshot;
  readonly walletsMade: number;
}

interface Parts {
  readonly bank: Bank;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  /** The limit `snapshots`. */
  readonly maxSnapshots: number;
}

// Snapshots are plain objects of values; anything else is compared by identity.
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype)
    return false;
  const [mine, others] = [Object.entries(a), Object.entries(b)];
  return (
    mine.length === others.length &&
    mine.every(([name, value]) => isSame(value, (b as Record<string, unknown>)[name]))
  );
}

/** Takes, stores and restores snapshots of a world. */
export class SnapshotStore {
  readonly #parts: Parts;
  readonly #byId = new Map<string, WorldSnapshot>();
  #snapshots = 0;
  /** The snapshot stored or restored last. */
  #last: WorldSnapshot | null = null;
  /** Number of wallets that the world has created. */
  walletsMade = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A snapshot, after verifying the bank's predicted transfers against the engine. Must run exclusively. */
  async capture(ground: EmbeddedChain): Promise<WorldSnapshot> {
    await ground.chain.verifyPredictions();
    return this.captureUnchecked(ground);
  }

  /** A snapshot without that verification, whatever is in flight. */
  captureUnchecked(ground: EmbeddedChain): WorldSnapshot {
    const { bank, clock, oracle, scheduler, faults } = this.#parts;
    return {
      bank: bank.snapshot(),
      ground: ground.snapshot(),
      clock: clock.snapshot(),
      oracle: oracle.snapshot(),
      seenMs: scheduler.snapshot(),
      faults: faults.snapshot(),
      walletsMade: this.walletsMade,
    };
  }

  /**
   * `capture` in canonical form, the same for equal worlds: a yield index applies its rate changes lazily, on
   * read, and whether it has been read is not part of a world.
   */
  async captureCanonical(ground: EmbeddedChain): Promise<WorldSnapshot> {
    const { clock, oracle } = this.#parts;
    for (const token of TOKENS) oracle.yieldIndex(token, clock.nowMs());
    return this.capture(ground);
  }

  /** Restores a snapshot. Must run exclusively. */
  async restore(snapshot: WorldSnapshot, ground: EmbeddedChain): Promise<void> {
    const { bank, clock, oracle, scheduler, faults } = this.#parts;
    clock.restore(snapshot.clock);
    oracle.restore(snapshot.oracle);
    scheduler.restore(snapshot.seenMs);
    faults.restore(snapshot.faults);
    this.walletsMade = snapshot.walletsMade;
    bank.restore(snapshot.bank);
    await ground.restore(snapshot.ground);
    this.#last = snapshot;
  }

  /** Stores a snapshot and returns its id. An unchanged world shares the last one's memory. Throws RangeError for too many. */
  keep(snapshot: WorldSnapshot): string {
    const { maxSnapshots } = this.#parts;
    if (this.#byId.size >= maxSnapshots)
      throw new RangeError(
        `there are ${maxSnapshots} snapshots already, which is the limit snapshots; delete some`,
      );
    this.#snapshots += 1;
    const id = `snapshot-${this.#snapshots}`;
    const stored = this.#last !== null && isSame(this.#last, snapshot) ? this.#last : snapshot;
    this.#last = stored;
    this.#byId.set(id, stored);
    return id;
  }

  /** A stored snapshot. Throws RangeError for an unknown id. */
  get(id: string): WorldSnapshot {
    const snapshot = this.#byId.get(id);
    if (snapshot === undefined) throw new RangeError(`there is no snapshot ${id}`);
    return snapshot;
  }

  /** The ids of all stored snapshots, oldest first. */
  ids(): string[] {
    return [...this.#byId.keys()];
  }

  drop(id: string): void {
    this.#byId.delete(id);
  }

  dropAll(): void {
    this.#byId.clear();
    this.#last = null;
  }
}
