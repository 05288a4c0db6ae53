import { OUTGROWN_BY_INTEREST } from '../../testing/fuzz/campaign/goals.js';
import type { Approaches } from '../../testing/fuzz-library.js';

/** Formats a share, such as 99.9 %. Only a share of exactly 1 is 100 %. */
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
