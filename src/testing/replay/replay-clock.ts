import type { TimeMode } from '../../world/clock.js';

/** The machine's clock of a replay: it stands but for being moved, so that a running world is at each instant when it was. */
export class ReplayClock {
  #wallMs: number;

  constructor(startMs: number) {
    this.#wallMs = startMs;
  }

  readonly now = (): number => this.#wallMs;

  /** What would be waited for has passed at once. */
  readonly wait = (ms: number): Promise<void> => {
    this.#wallMs += ms;
    return Promise.resolve();
  };

  /** Brings a world that is at `nowMs` to an instant, if that lies ahead and its clock runs. */
  reach(atMs: number, nowMs: number, mode: TimeMode): void {
    if (atMs <= nowMs || mode.kind === 'frozen') return;
    const factor = mode.kind === 'scaled' ? mode.factor : 1;
    // Half a millisecond more, since the world's milliseconds are whole and rounded down.
    this.#wallMs += factor === 1 ? atMs - nowMs : (atMs - nowMs + 0.5) / factor;
  }
}
