import { OrderedMap } from 'immutable';
import type { KnownOutcome, Transfers } from './transfers.js';
import type { UnconfirmedTransfer, Purpose } from './in-flight-work.js';

/** Late transfers by signature, as a value, in the order in which they were sent. */
export type UnconfirmedTransfersSnapshot = OrderedMap<string, UnconfirmedTransfer>;

// While it waits, nothing of the same subject is tried again.
function subjectOf(purpose: Purpose): string {
  switch (purpose.kind) {
    case 'outflow':
      return `outflow/${purpose.outflow}`;
    case 'account':
      return `account/${purpose.owner}`;
    case 'savings':
      return `savings/${purpose.token}`;
    case 'sweep':
      return `sweep/${purpose.wallet}/${purpose.token}`;
  }
}

/** Transfers whose outcome only the chain will tell, some time. An embedded chain tells at once unless a fault keeps it from it. */
export class UnconfirmedTransfers {
  readonly #transfers: Transfers;
  readonly #finish: (late: UnconfirmedTransfer, outcome: KnownOutcome) => void;
  #waiting: UnconfirmedTransfersSnapshot = OrderedMap();
  #asking: Promise<void> | null = null;

  /** `finish` hears of each outcome once it is known. */
  constructor(transfers: Transfers, finish: (late: UnconfirmedTransfer, outcome: KnownOutcome) => void) {
    this.#transfers = transfers;
    this.#finish = finish;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The signatures of all that wait. */
  signatures(): string[] {
    return [...this.#waiting.keys()];
  }

  /** The signature of what waits for a purpose; null when nothing does. */
  signatureOf(purpose: Purpose): string | null {
    const subject = subjectOf(purpose);
    return this.#waiting.findKey((late) => subjectOf(late.purpose) === subject) ?? null;
  }

  isWaiting(purpose: Purpose): boolean {
    return this.#waiting.size > 0 && this.signatureOf(purpose) !== null;
  }

  add(signature: string, late: UnconfirmedTransfer): void {
    this.#waiting = this.#waiting.set(signature, late);
  }

  /** Asks the chain again about all of them; those that it tells of are finished. */
  askAgain(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  snapshot(): UnconfirmedTransfersSnapshot {
    return this.#waiting;
  }

  restore(snapshot: UnconfirmedTransfersSnapshot): void {
    this.#waiting = snapshot;
  }

  async #ask(): Promise<void> {
    for (const [signature, late] of this.#waiting) {
      const outcome = await this.#transfers.outcomeOf(signature, late.movedLamports);
      if (outcome.kind === 'unknown') continue;
      this.#waiting = this.#waiting.delete(signature);
      this.#finish(late, outcome);
    }
  }
}
