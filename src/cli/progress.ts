import { counted } from '../core/counted.js';
import { clipped, widthOf } from '../testing/scenario/reporters/text.js';

export interface ProgressReport {
  /** The unit counted, such as `runs`. */
  readonly unit: string;
  readonly done: number;
  /** Null for no limit. */
  readonly total: number | null;
  /** A finer count whose rate is shown, such as `steps`. */
  readonly work?: { readonly unit: string; readonly done: number };
  readonly found: number;
  /** Default: `found`. */
  readonly foundAs?: 'found' | 'failed';
  /** The number and the name of the different things reached, if they are counted. */
  readonly coverage?: { readonly unit: string; readonly count: number };
  /** Further text, as far as the width allows; the most important first. */
  readonly more?: readonly string[];
}

/** Counts the parts of a command, such as runs, as they pass or fail; `work` names their finer count, such as actions. */
export function progressCount(total: number, unit: string, work: string) {
  const ended = { parts: 0, work: 0, failed: 0 };
  return {
    add: (done: number, isFailed: boolean) => {
      ended.parts += 1;
      ended.work += done;
      ended.failed += isFailed ? 1 : 0;
    },
    /** `underway` is the work of the part that has not ended. */
    report: (underway = 0): ProgressReport => ({
      unit,
      done: ended.parts,
      total,
      work: { unit: work, done: ended.work + underway },
      found: ended.failed,
      foundAs: 'failed',
    }),
  };
}

const SECOND = 1_000;
/** Rates cover this time only, because workers of a queue start and stop. */
const RATE_MS = 60 * SECOND;
/** Delay of the first line in a log, and interval between further lines. */
const PLAIN_FIRST_MS = SECOND;
const PLAIN_EVERY_MS = 10 * SECOND;
const LIVE_EVERY_MS = 200;
/** Width of a terminal that does not report it. */
const UNKNOWN_COLUMNS = 80;
/** Counts from this size are abbreviated. */
const LARGE = 1_000_000;

const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

/** Formats a count, such as 12,345 or 1.23M. */
function short(value: number): string {
  return value < LARGE ? counted(value) : SHORT.format(value);
}

/** Formats seconds, such as `45 s` or `3 h 5 min`. */
export function secondsText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 600) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${counted(Math.floor(minutes / 60))} h ${minutes % 60} min`;
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

interface Sample {
  readonly ms: number;
  readonly done: number;
  readonly work: number;
}

/** Computes the rate and the remaining time from earlier progress. */
export class ProgressMeter {
  readonly #endMs: number;
  readonly #nowMs: () => number;
  /** Whether nothing was done yet. After a minute of this, rates begin at what is done first: a queue may have had no worker. */
  #isIdle = true;
  /** Starts with the last observation that is older than the time of rates, or with the first one. */
  #samples: Sample[] = [];

  /** `budgetMs`: real time after which the command ends; null for no limit. */
  constructor(budgetMs: number | null, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#endMs = budgetMs === null ? Number.POSITIVE_INFINITY : nowMs() + budgetMs;
  }

  /** The progress and the rate as JSON; `secondsLeft` is null if unknown. */
  measure(report: ProgressReport) {
    const { unit, done, total, work, found, coverage } = report;
    const now: Sample = { ms: this.#nowMs(), done, work: work?.done ?? done };
    const last = this.#samples.at(-1) ?? now;
    const old = this.#samples.findLastIndex(({ ms }) => now.ms - ms >= RATE_MS);
    this.#samples = this.#isIdle && old >= 0 ? [now] : [...this.#samples.slice(Math.max(0, old)), now];
    this.#isIdle &&= now.done === last.done && now.work === last.work;
    const [first = now] = this.#samples;
    const seconds = (now.ms - first.ms) / SECOND;
    const rateOf = (count: number) => (seconds === 0 ? 0 : count / seconds);
    const rate = rateOf(now.done - first.done);
    const workLeft = total === null || rate <= 0 ? Number.POSITIVE_INFINITY : (total - done) / rate;
    const left = Math.max(0, Math.min((this.#endMs - now.ms) / SECOND, workLeft));
    return {
      figures: {
        unit,
        done,
        total,
        rate: rounded(rate),
        found,
        coverage: coverage?.count ?? null,
        secondsLeft: Number.isFinite(left) ? Math.ceil(left) : null,
      },
      workRate: rateOf(now.work - first.work),
    };
  }
}

export type ProgressFigures = Readonly<ReturnType<ProgressMeter['measure']>['figures']>;

function rounded(rate: number): number {
  return Math.round(rate * 10) / 10;
}

/** The progress line: the parts that fit into `columns`, the most important first. */
export function progressLine(
  { unit, done, total, work, found, foundAs = 'found', coverage, more = [] }: ProgressReport,
  { secondsLeft, workRate, columns }: { secondsLeft: number | null; workRate: number; columns: number },
): string {
  const parts = [
    `${short(done)}${total === null ? '' : ` of ${short(total)}`} ${unit}`,
    `${workRate < 10 ? workRate.toFixed(1) : short(workRate)} ${work?.unit ?? unit}/s`,
    ...(secondsLeft === null ? [] : [`${secondsText(secondsLeft)} left`]),
    `${short(found)} ${foundAs}`,
    ...(coverage === undefined ? [] : [`${short(coverage.count)} ${coverage.unit}`]),
    ...more,
  ];
  return fitted(parts, columns);
}

/** Shows progress on stderr: a live line on a terminal, a line from time to time elsewhere, or lines of JSON for programs. */
export class ProgressView {
  readonly #isLive: boolean;
  readonly #isJson: boolean;
  readonly #meter: ProgressMeter;
  readonly #begunMs = performance.now();
  #shownMs = this.#begunMs;
  #isBegun = false;

  constructor({ budgetMs = null, isJson }: { readonly budgetMs?: number | null; readonly isJson: boolean }) {
    this.#isJson = isJson;
    this.#isLive = process.stderr.isTTY && !isJson;
    this.#meter = new ProgressMeter(budgetMs, () => performance.now());
  }

  /** Call it after each unit of work; it calls `report` when progress is due. */
  update(report: () => ProgressReport): void {
    if (!this.#isBegun) this.#meter.measure(report());
    this.#isBegun = true;
    if (this.#isDue) this.#show(report());
  }

  /** Clears the live line, before anything else is printed. */
  clear(): void {
    if (this.#isLive) process.stderr.write('\r\u001b[K');
  }

  get #isDue(): boolean {
    const plainMs = this.#shownMs === this.#begunMs ? PLAIN_FIRST_MS : PLAIN_EVERY_MS;
    return performance.now() - this.#shownMs >= (this.#isLive ? LIVE_EVERY_MS : plainMs);
  }

  #show(report: ProgressReport): void {
    this.#shownMs = performance.now();
    const { figures, workRate } = this.#meter.measure(report);
    if (this.#isJson) {
      const { work } = report;
      const more =
        work === undefined ? {} : { [work.unit]: work.done, [`${work.unit}PerSecond`]: rounded(workRate) };
      process.stderr.write(`${JSON.stringify({ ...figures, ...more })}\n`);
      return;
    }
    // A line as wide as the terminal would wrap and could not be rewritten.
    const columns = (process.stderr.columns || UNKNOWN_COLUMNS) - 1;
    const line = progressLine(report, { ...figures, workRate, columns });
    process.stderr.write(this.#isLive ? `\r\u001b[K${line}` : `${line}\n`);
  }
}
