import type { KnownOutcome, Transfers } from './transfers.js';

/** A transfer that was sent while nobody could tell what became of it. */
interface LateTransfer {
  /** What it was for; while it waits, the same is not tried again. */
  readonly subject: string;
  readonly finish: (outcome: KnownOutcome) => void;
}

/** Transfers whose outcome only the chain will tell, some time. An embedded chain always tells at once. */
export class LateTransfers {
  readonly #transfers: Transfers;
  readonly #waiting = new Map<string, LateTransfer>();
  #asking: Promise<void> | null = null;

  constructor(transfers: Transfers) {
    this.#transfers = transfers;
  }

  get size(): number {
    return this.#waiting.size;
  }

  isWaiting(subject: string): boolean {
    for (const late of this.#waiting.values()) if (late.subject === subject) return true;
    return false;
  }

  /** `finish` hears of the outcome when it is known. */
  add(signature: string, late: LateTransfer): void {
    this.#waiting.set(signature, late);
  }

  /** Asks the chain again about all of them; those that it tells of are finished. */
  askAgain(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    for (const [signature, { finish }] of this.#waiting) {
      const outcome = await this.#transfers.outcomeOf(signature);
      if (outcome.kind === 'unknown') continue;
      this.#waiting.delete(signature);
      finish(outcome);
    }
  }
}
