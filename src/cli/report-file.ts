import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { writing } from './usage.js';

/** Opens the file of an option for a report, in a folder that is created; returns its descriptor. Throws UsageError. */
export function openReport(option: string, file: string): number {
  return writing(`${option}: ${file}`, () => {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'w');
  });
}
