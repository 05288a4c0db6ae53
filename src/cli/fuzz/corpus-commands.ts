import { counted } from '../../core/counted.js';
import { minimized } from '../../testing/fuzz/campaign/corpus.js';
import { summedBy } from '../../testing/fuzz/campaign/coverage.js';
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

export async function showCorpus(args: CorpusArguments): Promise<void> {
  const entries = entriesIn(args.folder);
  const pairs = [...new Set(entries.flatMap(({ reached }) => reached))].toSorted();
  const steps = entries.flatMap((entry) => entry.steps.map((step) => ({ ...step, count: 1 })));
  const commands = summedBy(steps, (step) => step.do);
  const result = {
    sequences: entries.length,
    steps: steps.length,
    pairs,
    commands: Object.fromEntries(commands),
  };
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
