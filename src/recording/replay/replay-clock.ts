import type { TimeMode } from '../../world/clock.js';

/** The wall clock of a replay: it advances only on demand, so that a running world is at each line's recorded instant. */
export class ReplayClock {
  #wallMs: number;

  constructor(startMs: number) {
    this.#wallMs = startMs;
  }

  readonly now = (): number => this.#wallMs;

  readonly wait = (ms: number): Promise<void> => {
    this.#wallMs += ms;
    return Promise.resolve();
  };

  /** Advances a world at `nowMs` to an instant, if that is in the future and its clock runs. */
  reach(atMs: number, nowMs: number, mode: TimeMode): void {
    if (atMs <= nowMs || mode.kind === 'frozen') return;
    const factor = mode.kind === 'scaled' ? mode.factor : 1;
    // Add half a millisecond, since the world's milliseconds are rounded down.
    this.#wallMs += factor === 1 ? atMs - nowMs : (atMs - nowMs + 0.5) / factor;
  }
}
