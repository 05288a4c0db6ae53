import { clipped } from '../../testing/scenario/reporters/text.js';
import { counted } from '../fuzz/progress.js';

/** How far a study is. */
export interface StudyProgress {
  readonly runs: number;
  readonly of: number;
  /** Of runs that have ended, and of the one that is played in this process. */
  readonly ticks: number;
  readonly ofTicks: number;
  readonly actions: number;
  readonly failed: number;
}

const SECOND = 1_000;
const PLAIN_FIRST_MS = SECOND;
const PLAIN_EVERY_MS = 10 * SECOND;
const LIVE_EVERY_MS = 200;
const UNKNOWN_COLUMNS = 80;

/** Formats a duration, such as 1 h 20 min or 45 s. */
function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Shows progress: a live line on a terminal, a line every ten seconds elsewhere, or lines of JSON on stdout. */
export class StudyProgressView {
  readonly #isJson: boolean;
  readonly #nowMs: () => number;
  readonly #begun: StudyProgress;
  readonly #begunMs: number;
  #shownMs: number;

  /** `begun` is the progress that an earlier command has made. */
  constructor({ isJson, nowMs, begun }: { isJson: boolean; nowMs: () => number; begun: StudyProgress }) {
    this.#isJson = isJson;
    this.#nowMs = nowMs;
    this.#begun = begun;
    this.#begunMs = nowMs();
    this.#shownMs = this.#begunMs;
  }

  get #isLive(): boolean {
    return process.stderr.isTTY && !this.#isJson;
  }

  /** Shows it when it is time to. */
  show(progress: StudyProgress): void {
    const nowMs = this.#nowMs();
    const plainMs = this.#shownMs === this.#begunMs ? PLAIN_FIRST_MS : PLAIN_EVERY_MS;
    if (nowMs - this.#shownMs < (this.#isLive ? LIVE_EVERY_MS : plainMs)) return;
    this.#shownMs = nowMs;
    const seconds = (nowMs - this.#begunMs) / SECOND;
    const rate = (progress.actions - this.#begun.actions) / seconds;
    const ticks = progress.ticks - this.#begun.ticks;
    const left = ticks === 0 ? null : ((progress.ofTicks - progress.ticks) / ticks) * seconds;
    if (this.#isJson) {
      const line = { kind: 'progress', ...progress, actionsPerSecond: Math.round(rate), secondsLeft: left };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      return;
    }
    const { runs, of, failed } = progress;
    const parts = [
      `${counted(runs)} of ${counted(of)} runs`,
      ...(left === null ? [] : [`${durationText(left)} left`]),
      `${counted(progress.actions)} actions`,
      `${counted(rate)}/s`,
      ...(failed === 0 ? [] : [`${counted(failed)} failed`]),
    ];
    const text = clipped(parts.join(' · '), (process.stderr.columns || UNKNOWN_COLUMNS) - 1);
    process.stderr.write(this.#isLive ? `\r\u001b[K${text}` : `${text}\n`);
  }

  /** Clears the live line. */
  clear(): void {
    if (this.#isLive) process.stderr.write('\r\u001b[K');
  }
}
