/** A usage error: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The error for a user's file or folder, with the option's name, if any, and the code of Node's error. */
export function fileError(file: string, what: 'read' | 'written', error: unknown): UsageError {
  return new UsageError(`${file} cannot be ${what} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
}

/** Writes a file of the user's, which the error names so. Throws UsageError when that fails. */
export function writing<T>(file: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw fileError(file, 'written', error);
  }
}

/** A usage error whose message continues with a list of names on further lines. */
export class UnknownName extends UsageError {
  override readonly name = 'UnknownName';
}

/** Parses an option that must be a whole number within bounds. Throws UsageError. */
export function wholeNumber(option: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}

/** A running simulator refused a request or is unreachable: one line on stderr, exit code 1. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';
}

/** Exit codes of every command: success, a failed check or request, a usage error, a check that could not run. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unchecked: 3 } as const;
