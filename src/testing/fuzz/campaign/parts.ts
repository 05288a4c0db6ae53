import type { Command } from '../commands/command.js';
import type { SentEntry } from './corpus.js';

/** A part of a campaign: what a sequence draws its steps from. */
export interface Part {
  readonly name: string;
  /** How many sequences are its own, relative to other parts. */
  readonly weight: number;
  readonly commands: readonly Command[];
}

/** A part weighs as it began until this many finds speak for another weight: a few of them may be luck. */
const PRIOR = 40;
/** The most and the least that finds make of a weight: coverage is no measure of bugs, and what has found nothing lately may again. */
const MOST = 3;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * The parts weighed by what they found: what reached more triples than its share of the sequences gets more of the next. `played` are the
 * parts as they weighed when the entries were found.
 */
export function weighed(
  parts: readonly Part[],
  played: readonly Part[],
  entries: readonly Pick<SentEntry, 'part' | 'reached'>[],
): Part[] {
  const found = parts.map(({ name }) =>
    sum(entries.filter(({ part }) => part === name).map(({ reached }) => reached.length)),
  );
  const whole = sum(played.map(({ weight }) => weight));
  return parts.map((part, at) => {
    const share = (played[at] as Part).weight / whole;
    const times = ((found[at] as number) + PRIOR * share) / ((sum(found) + PRIOR) * share);
    return { ...part, weight: part.weight * Math.min(MOST, Math.max(1 / MOST, times)) };
  });
}
