import { existsSync, writeFileSync } from 'node:fs';
import { UnreadableFile, readUserText } from '../../core/user-file.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import type { Durations } from '../../testing/scenario/shards.js';
import { UsageError } from '../usage.js';

/** Reads earlier durations of scenarios; empty if the file does not exist. Throws UsageError for an invalid file. */
export function readDurations(path: string): Durations {
  if (!existsSync(path)) return {};
  try {
    const value: unknown = JSON.parse(readUserText(path));
    const isTable =
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((ms) => typeof ms === 'number' && ms >= 0);
    if (isTable) return value as Durations;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    // Reported below.
  }
  throw new UsageError(`--durations ${path}: must contain a JSON object of milliseconds by scenario`);
}

/** Throws UsageError if the file will not be writable. */
export function checkDurations(path: string): void {
  const known = readDurations(path);
  try {
    writeDurations(path, known, []);
  } catch (error) {
    throw new UsageError(`--durations ${path}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Writes durations of scenarios, keeping known ones of others. */
export function writeDurations(path: string, known: Durations, results: readonly ScenarioResult[]): void {
  const taken = results
    .filter(({ verdict }) => verdict !== 'skipped')
    .map(({ id, ms }): [string, number] => [id, Math.round(ms)]);
  const all = Object.entries({ ...known, ...Object.fromEntries(taken) });
  all.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
}
