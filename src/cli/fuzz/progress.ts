import { OUTGROWN_BY_INTEREST } from '../../testing/fuzz/campaign/goals.js';
import type { Approaches, Progress } from '../../testing/fuzz-library.js';

export interface Shown {
  readonly property: string;
  readonly runs: number;
  readonly steps: number;
  readonly pairs: number;
  /** Goals reached, and all goals. */
  readonly goals: readonly [number, number];
  readonly approaches: Approaches;
}

export function shownOf(property: string, { runs, steps, pairs, goals }: Progress): Shown {
  const counts = Object.values(goals.counts());
  const reached = counts.filter((times) => times > 0).length;
  return {
    property,
    runs,
    steps,
    pairs,
    goals: [reached, counts.length],
    approaches: goals.approaches(),
  };
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
