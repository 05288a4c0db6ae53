import { OrderedMap } from 'immutable';
import type { KnownOutcome, Transfers } from './transfers.js';
import type { UnconfirmedTransfer, Purpose } from './in-flight-work.js';

/** Transfers with unknown outcome by signature, as a value, in the order in which they were sent. */
export type UnconfirmedTransfersSnapshot = OrderedMap<string, UnconfirmedTransfer>;

// While one is pending, nothing with the same subject is retried.
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

/** Transfers with unknown outcome. On an embedded chain, only faults cause them. */
export class UnconfirmedTransfers {
  readonly #transfers: Transfers;
  readonly #finish: (late: UnconfirmedTransfer, outcome: KnownOutcome) => void;
  #pending: UnconfirmedTransfersSnapshot = OrderedMap();
  #polling: Promise<void> | null = null;

  /** `finish` is called with each outcome once it is known. */
  constructor(transfers: Transfers, finish: (late: UnconfirmedTransfer, outcome: KnownOutcome) => void) {
    this.#transfers = transfers;
    this.#finish = finish;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The signatures of all pending transfers. */
  signatures(): string[] {
    return [...this.#pending.keys()];
  }

  /** The signature of the pending transfer for a purpose; null when there is none. */
  signatureOf(purpose: Purpose): string | null {
    const subject = subjectOf(purpose);
    return this.#pending.findKey((late) => subjectOf(late.purpose) === subject) ?? null;
  }

  isWaiting(purpose: Purpose): boolean {
    return this.#pending.size > 0 && this.signatureOf(purpose) !== null;
  }

  has(signature: string): boolean {
    return this.#pending.has(signature);
  }

  add(signature: string, late: UnconfirmedTransfer): void {
    this.#pending = this.#pending.set(signature, late);
  }

  /** Queries the chain for all of them; those with a known outcome are finished. */
  askAgain(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  snapshot(): UnconfirmedTransfersSnapshot {
    return this.#pending;
  }

  restore(snapshot: UnconfirmedTransfersSnapshot): void {
    this.#pending = snapshot;
  }

  async #poll(): Promise<void> {
    for (const [signature, late] of this.#pending) {
      const outcome = await this.#transfers.outcomeOf(signature, late.movedLamports);
      if (outcome.kind === 'unknown') continue;
      this.#pending = this.#pending.delete(signature);
      this.#finish(late, outcome);
    }
  }
}
