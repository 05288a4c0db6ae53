import { OUTGROWN_BY_INTEREST } from '../../testing/fuzz/campaign/goals.js';
import type { Approaches } from '../../testing/fuzz-library.js';
import { clipped, widthOf } from '../../testing/scenario/reporters/text.js';

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
/** The first line for a log comes after this time, the others so often. */
const PLAIN_FIRST_MS = SECOND;
const PLAIN_EVERY_MS = 10 * SECOND;
const LIVE_EVERY_MS = 200;
/** The width of a terminal that does not say how wide it is. */
const UNKNOWN_COLUMNS = 80;

/** A count for people, such as 12,345. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A share for people, such as 99.9 %; only what is exactly full is 100 %. */
export function percent(share: number): string {
  const tenths = share === 1 ? 1_000 : Math.min(Math.floor(share * 1_000), share < 1 ? 999 : 1e6);
  return `${(tenths / 10).toFixed(1)} %`;
}

/** How close each limit was come to, for people. */
export function approachTexts(approaches: Approaches): string[] {
  return Object.entries(approaches).map(
    ([limit, share]) =>
      `${limit} ${percent(share)}${share > 1 && OUTGROWN_BY_INTEREST.has(limit) ? ' with interest' : ''}`,
  );
}

/** As many parts from the first on as fit into a line. */
function fitted(parts: readonly string[], columns: number): string {
  let [line = ''] = parts;
  for (const part of parts.slice(1)) {
    const longer = `${line} · ${part}`;
    if (widthOf(longer) > columns) break;
    line = longer;
  }
  return clipped(line, columns);
}

/** How long a campaign runs, and the width of the line that says so. */
export interface LineOptions {
  readonly elapsedMs: number;
  /** Null for no budget. */
  readonly budgetMs: number | null;
  readonly columns: number;
}

/** One line about how far a campaign is: the parts that fit into `columns`, the most important ones first. */
export function progressLine(shown: Shown, { elapsedMs, budgetMs, columns }: LineOptions): string {
  const { property, runs, steps, pairs, goals, approaches } = shown;
  const rate = elapsedMs === 0 ? 0 : (steps / elapsedMs) * SECOND;
  const left = budgetMs === null ? [] : [`${Math.max(0, Math.ceil((budgetMs - elapsedMs) / SECOND))} s left`];
  const parts = [
    property,
    `${counted(runs)} runs`,
    `${counted(steps)} steps`,
    ...left,
    `${counted(rate)}/s`,
    `goals ${goals[0]}/${goals[1]}`,
    `${counted(pairs)} pairs`,
    ...approachTexts(approaches),
  ];
  return fitted(parts, columns);
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
    const plainMs = this.#shownMs === this.#begunMs ? PLAIN_FIRST_MS : PLAIN_EVERY_MS;
    return this.#nowMs() - this.#shownMs >= (this.#isLive ? LIVE_EVERY_MS : plainMs);
  }

  show(shown: Shown): void {
    const nowMs = this.#nowMs();
    this.#shownMs = nowMs;
    // A line as wide as the terminal would begin a second one, which could not be rewritten.
    const columns = (process.stderr.columns || UNKNOWN_COLUMNS) - 1;
    const line = progressLine(shown, {
      elapsedMs: nowMs - this.#begunMs,
      budgetMs: this.#budgetMs,
      columns,
    });
    process.stderr.write(this.#isLive ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Takes the changing line away. */
  clear(): void {
    if (this.#isLive) process.stderr.write('\r\u001b[K');
  }
}
