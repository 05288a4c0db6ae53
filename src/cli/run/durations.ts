import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import type { Durations } from '../../testing/scenario/shards.js';
import { UsageError } from '../usage.js';

/** How long scenarios took before; nothing when there is no file yet. Throws UsageError for a file that holds something else. */
export function readDurations(path: string): Durations {
  if (!existsSync(path)) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const isTable =
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((ms) => typeof ms === 'number' && ms >= 0);
    if (isTable) return value as Durations;
  } catch {
    // Said below.
  }
  throw new UsageError(`--durations ${path}: must hold a JSON object of milliseconds by scenario`);
}

/** Throws UsageError when the file cannot be written at the end. */
export function checkDurations(path: string): void {
  const known = readDurations(path);
  try {
    writeDurations(path, known, []);
  } catch (error) {
    throw new UsageError(`--durations ${path}: cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Keeps how long scenarios took, beside what was known of others. */
export function writeDurations(path: string, known: Durations, results: readonly ScenarioResult[]): void {
  const taken = results
    .filter(({ verdict }) => verdict !== 'skipped')
    .map(({ id, ms }): [string, number] => [id, Math.round(ms)]);
  const all = Object.entries({ ...known, ...Object.fromEntries(taken) });
  all.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`);
}
