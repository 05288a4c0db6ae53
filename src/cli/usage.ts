import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomically } from '../core/atomic-file.js';
import { isObject } from '../core/json.js';

/** A usage error: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The error for a user's file or folder, with the option's name, if any, and the code of Node's error. */
export function fileError(file: string, what: 'read' | 'written', error: unknown): UsageError {
  return new UsageError(`${file} cannot be ${what} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
}

/** The message for a process that has reached its limit of open files; null for any other error. */
export function openFilesSentence(error: unknown): string | null {
  const { code = '' } = Object(error) as NodeJS.ErrnoException;
  return ['EMFILE', 'ENFILE'].includes(code)
    ? 'too many open files; raise the limit, for example with ulimit -n 1024'
    : null;
}

/** Writes a file of the user's, which the error names so. Throws UsageError when that fails. */
export function writing<T>(file: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw fileError(file, 'written', error);
  }
}

/** Writes a file of the user's atomically. Throws UsageError. */
export function writeWhole(file: string, content: Uint8Array, mode?: number): void {
  writing(file, () => writeAtomically(file, content, mode));
}

/** Opens the file of an option for a report, in a folder that is created; returns its descriptor. Throws UsageError. */
export function openReport(option: string, file: string): number {
  return writing(`${option}: ${file}`, () => {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'w');
  });
}

/** Reads what a user wrote. An error of `read` becomes a UsageError whose message begins with `what`. */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(what + (error as Error).message);
  }
}

/** Parses JSON that a user wrote; the error begins with `what`. Throws UsageError. */
export function parsedJson(what: string, text: string): unknown {
  return reading(`${what} is not valid JSON: `, () => JSON.parse(text) as unknown);
}

/** Parses a JSON object that a user wrote; the error begins with `what`. Throws UsageError. */
export function parsedObject(what: string, text: string): Record<string, unknown> {
  const value = parsedJson(what, text);
  if (isObject(value)) return value;
  throw new UsageError(`${what} is not a JSON object`);
}

/** A usage error whose message continues with a list of names on further lines. */
export class UnknownName extends UsageError {
  override readonly name = 'UnknownName';
}

/** Parses an option that must be a whole number within bounds. Throws UsageError. */
export function wholeNumber(option: string, value: number, min: number, max = Infinity): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const bounds = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${option} must be a whole number ${bounds}`);
}

/** A running simulator refused a request or is unreachable: one line on stderr, exit code 1. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';
}

/** Exit codes of every command: success, a failed check or request, a usage error, a check that could not run. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unchecked: 3 } as const;
