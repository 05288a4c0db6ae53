import { counted } from '../../core/counted.js';
import { minimized } from '../../testing/fuzz/campaign/corpus.js';
import { printResult } from '../print-result.js';
import { readable } from '../remote/table.js';
import { UsageError } from '../usage.js';
import type { CorpusArguments } from './flags.js';
import { keepOnly, readCorpus } from './corpus-files.js';

function entriesIn(folder: string) {
  const entries = readCorpus(folder);
  if (entries.length === 0)
    throw new UsageError(`${folder} contains no sequences; create some with sim fuzz --corpus ${folder}`);
  return entries;
}

/** Counts values, most frequent first. */
function tally(values: readonly string[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

export async function showCorpus(args: CorpusArguments): Promise<void> {
  const entries = entriesIn(args.folder);
  const pairs = [...new Set(entries.flatMap(({ reached }) => reached))].toSorted();
  const steps = entries.reduce((sum, entry) => sum + entry.steps.length, 0);
  const commands = tally(entries.flatMap((entry) => entry.steps.map((step) => step.do)));
  const result = { sequences: entries.length, steps, pairs, commands: Object.fromEntries(commands) };
  printResult(args, result, readable({ ...result, pairs: pairs.length }));
}

/** Removes the sequences of a corpus that add no coverage. */
export async function minimizeCorpus(args: CorpusArguments): Promise<void> {
  const { folder } = args;
  const kept = minimized(entriesIn(folder));
  const gone = keepOnly(folder, kept);
  const steps = kept.reduce((sum, entry) => sum + entry.steps.length, 0);
  const text = `kept ${counted(kept.length, 'sequence')} of ${counted(steps, 'step')}, removed ${counted(gone)}`;
  printResult(args, { kept: kept.length, gone, steps }, text);
}
