import type { Bank, BankMark } from '../bank/bank.js';
import type { FaultsMark, Faults } from '../faults/faults.js';
import type { Clock, ClockMark } from '../world/clock.js';
import type { Oracle, OracleMark } from '../world/oracle.js';
import type { Course } from './course.js';
import type { GroundMark, LocalGround } from './local-ground.js';

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
}

/** The moments of a world: it can be marked, and become again what it was. */
export class Moments {
  readonly #parts: Parts;
  readonly #kept = new Map<string, Mark>();
  #snapshots = 0;
  /** Wallets that the world has made so far. */
  walletsMade = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The world as it is now, proved to be what the chain holds. Nothing else may go on meanwhile. */
  async now(ground: LocalGround): Promise<Mark> {
    const { bank, clock, oracle, course, faults } = this.#parts;
    await ground.chain.prove();
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
  }

  /** Keeps a mark; gives its id. */
  keep(mark: Mark): string {
    this.#snapshots += 1;
    const id = `snapshot-${this.#snapshots}`;
    this.#kept.set(id, mark);
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
  }
}
