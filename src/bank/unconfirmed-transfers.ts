import { OrderedMap } from 'immutable';
import { asUnreachable } from '../chain/backend.js';
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

/** The action for each outcome once it is known. */
interface Work {
  /** Null when there is nothing to wait for. */
  readonly prepare: (late: UnconfirmedTransfer) => Promise<unknown> | null;
  readonly finish: (late: UnconfirmedTransfer, outcome: KnownOutcome) => void;
}

/** Transfers with unknown outcome. On an embedded chain, only faults cause them. */
export class UnconfirmedTransfers {
  readonly #transfers: Transfers;
  readonly #work: Work;
  #pending: UnconfirmedTransfersSnapshot = OrderedMap();
  #polling: Promise<void> | null = null;

  constructor(transfers: Transfers, work: Work) {
    this.#transfers = transfers;
    this.#work = work;
  }

  get size(): number {
    return this.#pending.size;
  }

  signatures(): string[] {
    return [...this.#pending.keys()];
  }

  /** The signature of the pending transfer for a purpose; null when none is pending. */
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

  add({ signature, booking }: { readonly signature: string; readonly booking: UnconfirmedTransfer }): void {
    this.#pending = this.#pending.set(signature, booking);
  }

  /** Queries the chain for all of them, until it is unreachable, and finishes the transfers with a known outcome. */
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
      let outcome: KnownOutcome | null;
      try {
        outcome = await this.#transfers.outcomeOf(signature, late);
      } catch (error) {
        asUnreachable(error);
        // The next poll begins with another one: the chain may fail for this one only.
        this.#pending = this.#pending.delete(signature).set(signature, late);
        return;
      }
      if (outcome === null) continue;
      const preparing = this.#work.prepare(late);
      if (preparing !== null) await preparing;
      this.#pending = this.#pending.delete(signature);
      this.#work.finish(late, outcome);
    }
  }
}
