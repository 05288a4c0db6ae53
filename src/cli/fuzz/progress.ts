import { OUTGROWN_BY_INTEREST } from '../../testing/fuzz/campaign/goals.js';
import type { Approaches, Progress } from '../../testing/fuzz-library.js';
import { clipped, widthOf } from '../../testing/scenario/reporters/text.js';

/** Progress of a campaign, for display. */
export interface Shown {
  readonly property: string;
  readonly runs: number;
  readonly steps: number;
  readonly pairs: number;
  /** Goals reached, and all goals. */
  readonly goals: readonly [number, number];
  readonly approaches: Approaches;
}

/** Progress of a campaign, for display. */
export function shownOf(property: string, { runs, steps, coverage, goals }: Progress): Shown {
  const counts = Object.values(goals.counts());
  const reached = counts.filter((times) => times > 0).length;
  return {
    property,
    runs,
    steps,
    pairs: coverage.size,
    goals: [reached, counts.length],
    approaches: goals.approaches(),
  };
}

const SECOND = 1_000;
/** Delay of the first line in a log, and interval of further ones. */
const PLAIN_FIRST_MS = SECOND;
const PLAIN_EVERY_MS = 10 * SECOND;
const LIVE_EVERY_MS = 200;
/** Default width of a terminal that does not report it. */
const UNKNOWN_COLUMNS = 80;

/** Formats a count, such as 12,345. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Formats a share, such as 99.9 %; only exactly full is 100 %. */
export function percent(share: number): string {
  const tenths = share === 1 ? 1_000 : Math.min(Math.floor(share * 1_000), share < 1 ? 999 : 1e6);
  return `${(tenths / 10).toFixed(1)} %`;
}

/** Formats how close each limit was approached. */
export function approachTexts(approaches: Approaches): string[] {
  return Object.entries(approaches).map(
    ([limit, share]) =>
      `${limit} ${percent(share)}${share > 1 && OUTGROWN_BY_INTEREST.has(limit) ? ' with interest' : ''}`,
  );
}

/** As many leading parts as fit into a line. */
function fitted(parts: readonly string[], columns: number): string {
  let [line = ''] = parts;
  for (const part of parts.slice(1)) {
    const longer = `${line} · ${part}`;
    if (widthOf(longer) > columns) break;
    line = longer;
  }
  return clipped(line, columns);
}

/** Duration of a campaign, and width of its progress line. */
export interface LineOptions {
  readonly elapsedMs: number;
  /** Null for no budget. */
  readonly budgetMs: number | null;
  readonly columns: number;
}

/** The progress line: the parts that fit into `columns`, the most important first. */
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

/** Shows progress on stderr: a live line on a terminal, occasional lines elsewhere. */
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

  /** Whether an update is due. */
  get isDue(): boolean {
    const plainMs = this.#shownMs === this.#begunMs ? PLAIN_FIRST_MS : PLAIN_EVERY_MS;
    return this.#nowMs() - this.#shownMs >= (this.#isLive ? LIVE_EVERY_MS : plainMs);
  }

  show(shown: Shown): void {
    const nowMs = this.#nowMs();
    this.#shownMs = nowMs;
    // A line as wide as the terminal would wrap, and could not be rewritten.
    const columns = (process.stderr.columns || UNKNOWN_COLUMNS) - 1;
    const line = progressLine(shown, {
      elapsedMs: nowMs - this.#begunMs,
      budgetMs: this.#budgetMs,
      columns,
    });
    process.stderr.write(this.#isLive ? `\r\u001b[K${line}` : `${line}\n`);
  }

  /** Clears the live line. */
  clear(): void {
    if (this.#isLive) process.stderr.write('\r\u001b[K');
  }
}
