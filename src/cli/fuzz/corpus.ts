import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CorpusEntry } from '../../testing/fuzz-library.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError, parsedJson, writing } from '../usage.js';
import { jsonNamesIn } from './failures.js';
import { counted } from '../../core/counted.js';
import { minimized } from '../../testing/fuzz/campaign/corpus.js';
import { summedBy } from '../../testing/fuzz/campaign/tally.js';
import { printResult } from '../print-result.js';
import { readable } from '../remote/table.js';
import type { CorpusArguments } from './flags.js';

const FORMAT = 'agent-bank-sim corpus';
const VERSION = 3;

/** File names derive from the content, so that corpora can be merged by copying files. */
function nameOf({ steps }: CorpusEntry): string {
  return `${createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 16)}.json`;
}

const namesIn = (folder: string) => jsonNamesIn(folder, '--corpus');

/** Reads all sequences of a folder, sorted by name; none if the folder does not exist. Throws UsageError. */
export function readCorpus(folder: string): CorpusEntry[] {
  return namesIn(folder).map((name) => {
    const path = join(folder, name);
    const bad = (what: string) => new UsageError(`${path} is not a corpus sequence: ${what}`);
    const parsed = parsedJson(path, readUserText(path));
    const { format, version, steps, reached } = (parsed ?? {}) as Partial<CorpusEntry> & {
      format?: unknown;
      version?: unknown;
    };
    if (format !== FORMAT) throw bad(`its format is ${JSON.stringify(format ?? null)}`);
    if (version !== VERSION) throw bad(`its version is ${String(version)}, not ${VERSION}: make it again`);
    if (!Array.isArray(steps) || !Array.isArray(reached)) throw bad('it has no steps');
    return { steps, reached };
  });
}

/** Writes sequences that are not yet stored; returns how many. Throws UsageError. */
export function writeCorpus(folder: string, entries: readonly CorpusEntry[]): number {
  const known = new Set(namesIn(folder));
  const fresh = entries.filter((entry) => !known.has(nameOf(entry)));
  writing(`--corpus ${folder}`, () => {
    mkdirSync(folder, { recursive: true });
    for (const entry of fresh) {
      const { steps, reached } = entry;
      const text = JSON.stringify({ format: FORMAT, version: VERSION, reached, steps }, null, 1);
      writeFileSync(join(folder, nameOf(entry)), `${text}\n`);
    }
  });
  return fresh.length;
}

/** Deletes all but the given sequences from a folder; returns how many. */
export function keepOnly(folder: string, kept: readonly CorpusEntry[]): number {
  const names = new Set(kept.map(nameOf));
  const gone = namesIn(folder).filter((name) => !names.has(name));
  for (const name of gone) rmSync(join(folder, name));
  return gone.length;
}

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
