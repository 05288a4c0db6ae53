import type { Approaches } from '../../fuzz-library.js';

/** How far a campaign is, as it is shown. */
export interface Shown {
  readonly property: string;
  readonly runs: number;
  readonly steps: number;
  readonly pairs: number;
  /** Goals that were reached, and all. */
  readonly goals: readonly [number, number];
  readonly approaches: Approaches;
}

const SECOND = 1_000;
/** Lines for a log come so often. */
const PLAIN_EVERY_MS = 10 * SECOND;
const LIVE_EVERY_MS = 200;

/** A count for people, such as 12,345. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share for people, such as 99.9 %; only what is exactly full is 100 %. */
export function percent(share: number): string {
  const tenths = share === 1 ? 1_000 : Math.min(Math.floor(share * 1_000), share < 1 ? 999 : 1e6);
  return `${(tenths / 10).toFixed(1)} %`;
}

/** One line about how far a campaign is. */
export function progressLine(shown: Shown, elapsedMs: number, budgetMs: number | null): string {
  const { property, runs, steps, pairs, goals, approaches } = shown;
  const rate = elapsedMs === 0 ? 0 : (steps / elapsedMs) * SECOND;
  const closest = Object.entries(approaches).map(([limit, share]) => `${limit} ${percent(share)}`);
  const left = budgetMs === null ? [] : [`${Math.max(0, Math.ceil((budgetMs - elapsedMs) / SECOND))} s left`];
  return [
    property,
    `${counted(runs)} runs`,
    `${counted(steps)} steps`,
    `${counted(rate)}/s`,
    `${counted(pairs)} pairs`,
    `goals ${goals[0]}/${goals[1]}`,
    ...closest,
    ...left,
  ].join(' · ');
}

/** Shows how far campaigns are on stderr: a line that changes on a terminal, a line now and then elsewhere. */
export class ProgressView {
  readonly #isLive: boolean;
  readonly #budgetMs: number | null;
  readonly #begunMs: number;
  readonly #nowMs: () => number;
  #shownMs = 0;

  constructor(budgetMs: number | null, nowMs: () => number) {
    this.#isLive = process.stderr.isTTY;
    this.#budgetMs = budgetMs;
    this.#nowMs = nowMs;
    this.#begunMs = nowMs();
    this.#shownMs = this.#begunMs;
  }

  /** Whether it is time to show something. */
  get isDue(): boolean {
    return this.#nowMs() - this.#shownMs >= (this.#isLive ? LIVE_EVERY_MS : PLAIN_EVERY_MS);
  }

  show(shown: Shown): void {
    const nowMs = this.#nowMs();
    this.#shownMs = nowMs;
    const line = progressLine(shown, nowMs - this.#begunMs, this.#budgetMs);
    process.stderr.write(
      this.#isLive ? `\r\u001b[K${line.slice(0, process.stderr.columns - 1)}` : `${line}\n`,
    );
  }

  /** Takes the changing line away. */
  clear(): void {
    if (this.#isLive) process.stderr.write('\r\u001b[K');
  }
}
