import { iso, usdNumber } from './amounts.js';
import { type Refused, refused } from './verdict.js';

const DAY_MS = 86_400_000;

/** One use of a limit, in millionths of a USD. */
export interface Use {
  readonly atMs: number;
  readonly microUsd: bigint;
}

export type Window = 'utc-day' | 'rolling-24h';

/** An agent's use of one of its two limits, oldest first. */
export class DailyLimit {
  readonly #window: Window;
  /** In millionths of a USD. */
  readonly limitMicroUsd: bigint;
  readonly #uses: Use[];
  #sumMicroUsd: bigint;

  constructor(window: Window, limitMicroUsd: bigint, uses: Use[] = [], sumMicroUsd = 0n) {
    this.#window = window;
    this.limitMicroUsd = limitMicroUsd;
    this.#uses = uses;
    this.#sumMicroUsd = sumMicroUsd;
  }

  copy(): DailyLimit {
    return new DailyLimit(this.#window, this.limitMicroUsd, this.#uses.slice(), this.#sumMicroUsd);
  }

  /** Current use in millionths of a USD: of the UTC day, or of the last 24 hours. */
  usedMicroUsd(nowMs: number): bigint {
    let first = this.#uses[0];
    while (first !== undefined && !this.#counts(first, nowMs)) {
      this.#uses.shift();
      this.#sumMicroUsd -= first.microUsd;
      first = this.#uses[0];
    }
    return this.#sumMicroUsd;
  }

  /** Why this additional amount cannot be used now; null if it can. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
  refusal(microUsd: bigint, nowMs: number): Refused | null {
    const used = this.usedMicroUsd(nowMs);
    if (used + microUsd <= this.limitMicroUsd) return null;
    return refused('daily_limit_exceeded', {
      limit_usd: usdNumber(this.limitMicroUsd),
      used_usd: usdNumber(used),
      requested_usd: usdNumber(microUsd),
      resets_at: iso(this.#resetsAtMs(nowMs)),
    });
  }

  use(use: Use): void {
    this.#uses.push(use);
    this.#sumMicroUsd += use.microUsd;
  }

  /** Releases the use of a failed transfer. */
  giveBack(use: Use): void {
    const at = this.#uses.indexOf(use);
    if (at < 0) return;
    this.#uses.splice(at, 1);
    this.#sumMicroUsd -= use.microUsd;
  }

  #counts({ atMs }: Use, nowMs: number): boolean {
    return this.#window === 'utc-day'
      ? Math.floor(atMs / DAY_MS) === Math.floor(nowMs / DAY_MS)
      : nowMs - atMs < DAY_MS;
  }

  #resetsAtMs(nowMs: number): number {
    if (this.#window === 'utc-day') return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    // The expiry of a use worth 0 releases nothing.
    const first = this.#uses.find(({ microUsd }) => microUsd > 0n);
    return (first?.atMs ?? nowMs) + DAY_MS;
  }
}
