import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileError } from './usage.js';

/** Opens the file of an option for a report, in a folder that is created; returns its descriptor. Throws UsageError. */
export function openReport(option: string, file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'w');
  } catch (error) {
    throw fileError(`${option}: ${file}`, 'written', error);
  }
}
