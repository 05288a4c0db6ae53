import type { Summary } from '../campaign/summary.js';

/** A whole number with separators, the same everywhere: `12,345`. */
export function counted(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A share as a percentage. As many digits as it takes to tell what is nearly full from what is full. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(4))} %`;
}

/** A reached triple of the coverage, taken apart. */
export interface Pair {
  readonly state: string;
  readonly command: string;
  readonly outcome: string;
  readonly count: number;
}

/** The coverage, taken apart at its separators. */
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

/** The sums of counts by a name, largest first; equal ones by name. */
export function summedBy(pairs: readonly Pair[], nameOf: (pair: Pair) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const pair of pairs) sums.set(nameOf(pair), (sums.get(nameOf(pair)) ?? 0) + pair.count);
  return [...sums].toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

/** Outcomes of several calls at once, which are told apart from those of one. */
export function isOverlap({ outcome }: Pick<Pair, 'outcome'>): boolean {
  return outcome.includes('+');
}
