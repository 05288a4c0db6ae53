import type { Bank, BankSnapshot } from '../bank/bank.js';
import { TOKENS } from '../core/domain/money.js';
import type { FaultsSnapshot, Faults } from './faults/faults.js';
import type { Clock, ClockSnapshot } from '../world/clock.js';
import type { Oracle, OracleSnapshot } from '../world/oracle.js';
import type { Scheduler } from './scheduler.js';
import type { EmbeddedChainSnapshot, EmbeddedChain } from './embedded-chain.js';

/** A world at one moment, as a value. */
export interface WorldSnapshot {
  readonly bank: BankSnapshot;
  readonly ground: EmbeddedChainSnapshot;
  readonly clock: ClockSnapshot;
  readonly oracle: OracleSnapshot;
  /** Up to which instant the changes of rates and prices have been told of. */
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

// Marks are plain objects that hold values; what is no plain object is compared as it is.
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

/** The moments of a world: it can be marked, and become again what it was. */
export class SnapshotStore {
  readonly #parts: Parts;
  readonly #kept = new Map<string, WorldSnapshot>();
  #snapshots = 0;
  /** What was kept or restored last. */
  #last: WorldSnapshot | null = null;
  /** Wallets that the world has made so far. */
  walletsMade = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The world as it is now, proved to be what the chain holds. Nothing else may go on meanwhile. */
  async capture(ground: EmbeddedChain): Promise<WorldSnapshot> {
    await ground.chain.verifyPredictions();
    return this.captureUnchecked(ground);
  }

  /** The world as it is now, whatever is under way. */
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
   * The same in the one form that equal worlds have: an index passes the changes of its rate when somebody asks for it, and whether
   * anybody has is no part of a world.
   */
  async captureCanonical(ground: EmbeddedChain): Promise<WorldSnapshot> {
    const { clock, oracle } = this.#parts;
    for (const token of TOKENS) oracle.yieldIndex(token, clock.nowMs());
    return this.capture(ground);
  }

  /** Makes the world what it was. Nothing else may go on meanwhile. */
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

  /** Keeps a mark; gives its id. A world that is what it was at the last one takes no more room. Throws RangeError for too many. */
  keep(snapshot: WorldSnapshot): string {
    const { maxSnapshots } = this.#parts;
    if (this.#kept.size >= maxSnapshots)
      throw new RangeError(
        `there are ${maxSnapshots} snapshots already, which is the limit snapshots; delete some`,
      );
    this.#snapshots += 1;
    const id = `snapshot-${this.#snapshots}`;
    const kept = this.#last !== null && isSame(this.#last, snapshot) ? this.#last : snapshot;
    this.#last = kept;
    this.#kept.set(id, kept);
    return id;
  }

  /** A kept mark. Throws RangeError for one that is not there. */
  get(id: string): WorldSnapshot {
    const snapshot = this.#kept.get(id);
    if (snapshot === undefined) throw new RangeError(`there is no snapshot ${id}`);
    return snapshot;
  }

  /** The ids of all that are kept, oldest first. */
  ids(): string[] {
    return [...this.#kept.keys()];
  }

  drop(id: string): void {
    this.#kept.delete(id);
  }

  dropAll(): void {
    this.#kept.clear();
    this.#last = null;
  }
}
