import type { Summary } from '../campaign/summary.js';

/** A share as a percentage, with enough digits to distinguish almost full from full. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** A reached coverage triple, split into its parts. */
export interface Pair {
  readonly state: string;
  readonly command: string;
  readonly outcome: string;
  readonly count: number;
}

export function pairsOf({ coverage }: Pick<Summary, 'coverage'>): Pair[] {
  return coverage.map(([key, count]) => {
    const parts = key.split(' | ');
    return {
      state: parts[0] ?? '',
      command: parts.slice(1, -1).join(' | '),
      outcome: parts.at(-1) ?? '',
      count,
    };
  });
}

/** Sums counts by name, largest first; equal counts by name. */
export function summedBy<T extends { readonly count: number }>(
  counted: readonly T[],
  nameOf: (each: T) => string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const each of counted) sums.set(nameOf(each), (sums.get(nameOf(each)) ?? 0) + each.count);
  return [...sums].toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

/** Whether an outcome belongs to several overlapping calls. */
export function isOverlap({ outcome }: Pick<Pair, 'outcome'>): boolean {
  return outcome.includes('+');
}
