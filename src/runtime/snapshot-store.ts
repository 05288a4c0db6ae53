import type { Bank, BankMark } from '../bank/bank.js';
import { TOKENS } from '../core/domain/money.js';
import type { FaultsMark, Faults } from './faults/faults.js';
import type { Clock, ClockMark } from '../world/clock.js';
import type { Oracle, OracleMark } from '../world/oracle.js';
import type { Course } from './scheduler.js';
import type { GroundMark, LocalGround } from './embedded-chain.js';

/** A world at one moment, as a value. */
export interface Mark {
  readonly bank: BankMark;
  readonly ground: GroundMark;
  readonly clock: ClockMark;
  readonly oracle: OracleMark;
  /** Up to which instant the changes of rates and prices have been told of. */
  readonly seenMs: number;
  readonly faults: FaultsMark;
  readonly walletsMade: number;
}

interface Parts {
  readonly bank: Bank;
  readonly clock: Clock;
  readonly oracle: Oracle;
  readonly course: Course;
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
export class Moments {
  readonly #parts: Parts;
  readonly #kept = new Map<string, Mark>();
  #snapshots = 0;
  /** What was kept or restored last. */
  #last: Mark | null = null;
  /** Wallets that the world has made so far. */
  walletsMade = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The world as it is now, proved to be what the chain holds. Nothing else may go on meanwhile. */
  async now(ground: LocalGround): Promise<Mark> {
    await ground.chain.prove();
    return this.asItIs(ground);
  }

  /** The world as it is now, whatever is under way. */
  asItIs(ground: LocalGround): Mark {
    const { bank, clock, oracle, course, faults } = this.#parts;
    return {
      bank: bank.mark(),
      ground: ground.mark(),
      clock: clock.mark(),
      oracle: oracle.mark(),
      seenMs: course.mark(),
      faults: faults.mark(),
      walletsMade: this.walletsMade,
    };
  }

  /**
   * The same in the one form that equal worlds have: an index passes the changes of its rate when somebody asks for it, and whether
   * anybody has is no part of a world.
   */
  async settled(ground: LocalGround): Promise<Mark> {
    const { clock, oracle } = this.#parts;
    for (const token of TOKENS) oracle.yieldIndex(token, clock.nowMs());
    return this.now(ground);
  }

  /** Makes the world what it was. Nothing else may go on meanwhile. */
  async restore(mark: Mark, ground: LocalGround): Promise<void> {
    const { bank, clock, oracle, course, faults } = this.#parts;
    clock.restore(mark.clock);
    oracle.restore(mark.oracle);
    course.restore(mark.seenMs);
    faults.restore(mark.faults);
    this.walletsMade = mark.walletsMade;
    bank.restore(mark.bank);
    await ground.restore(mark.ground);
    this.#last = mark;
  }

  /** Keeps a mark; gives its id. A world that is what it was at the last one takes no more room. Throws RangeError for too many. */
  keep(mark: Mark): string {
    const { maxSnapshots } = this.#parts;
    if (this.#kept.size >= maxSnapshots)
      throw new RangeError(
        `there are ${maxSnapshots} snapshots already, which is the limit snapshots; delete some`,
      );
    this.#snapshots += 1;
    const id = `snapshot-${this.#snapshots}`;
    const kept = this.#last !== null && isSame(this.#last, mark) ? this.#last : mark;
    this.#last = kept;
    this.#kept.set(id, kept);
    return id;
  }

  /** A kept mark. Throws RangeError for one that is not there. */
  get(id: string): Mark {
    const mark = this.#kept.get(id);
    if (mark === undefined) throw new RangeError(`there is no snapshot ${id}`);
    return mark;
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
