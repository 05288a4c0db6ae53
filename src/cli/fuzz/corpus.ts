import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CorpusEntry } from '../../testing/fuzz-library.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError, parsedJson, writing } from '../usage.js';
import { jsonNamesIn } from './failures.js';

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
