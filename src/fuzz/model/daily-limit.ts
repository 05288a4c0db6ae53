import { iso, usdNumber } from './amounts.js';
import { type Refused, refused } from './verdict.js';

const DAY_MS = 86_400_000;
/** 1000 USD. Source: service-interface.md, Limits. */
const LIMIT_MICRO_USD = 1_000_000_000n;

/** One use of a limit, in millionths of a USD. */
export interface Use {
  readonly atMs: number;
  readonly microUsd: bigint;
}

export type Window = 'utc-day' | 'rolling-24h';

/** What an agent has used of one of its two limits, oldest first. */
export class DailyLimit {
  readonly #window: Window;
  #uses: readonly Use[];

  constructor(window: Window, uses: readonly Use[] = []) {
    this.#window = window;
    this.#uses = uses;
  }

  copy(): DailyLimit {
    return new DailyLimit(this.#window, this.#uses);
  }

  /** Millionths of a USD that count now: of the UTC day, or younger than 24 hours. */
  usedMicroUsd(nowMs: number): bigint {
    let sum = 0n;
    for (const use of this.#current(nowMs)) sum += use.microUsd;
    return sum;
  }

  /** Why so much more cannot be used now; null when it can. Source: docs/fidelity.md, Withdrawals and x402 payments. */
  refusal(microUsd: bigint, nowMs: number): Refused | null {
    const used = this.usedMicroUsd(nowMs);
    if (used + microUsd <= LIMIT_MICRO_USD) return null;
    return refused('daily_limit_exceeded', {
      limit_usd: usdNumber(LIMIT_MICRO_USD),
      used_usd: usdNumber(used),
      requested_usd: usdNumber(microUsd),
      resets_at: iso(this.#resetsAtMs(nowMs)),
    });
  }

  use(use: Use): void {
    const current = this.#current(use.atMs);
    const last = current.at(-1);
    // Uses of one instant fall away together, but each can be given back.
    this.#uses = last === undefined ? [use] : [...current, use];
  }

  /** The transfer came to nothing. */
  giveBack(use: Use): void {
    this.#uses = this.#uses.filter((other) => other !== use);
  }

  #current(nowMs: number): readonly Use[] {
    const first = this.#uses[0];
    if (first === undefined || this.#counts(first, nowMs)) return this.#uses;
    this.#uses = this.#uses.filter((use) => this.#counts(use, nowMs));
    return this.#uses;
  }

  #counts({ atMs }: Use, nowMs: number): boolean {
    return this.#window === 'utc-day'
      ? Math.floor(atMs / DAY_MS) === Math.floor(nowMs / DAY_MS)
      : nowMs - atMs < DAY_MS;
  }

  #resetsAtMs(nowMs: number): number {
    if (this.#window === 'utc-day') return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    // A use that is worth nothing takes nothing away when it goes.
    const first = this.#uses.find(({ microUsd }) => microUsd > 0n);
    return (first?.atMs ?? nowMs) + DAY_MS;
  }
}
