import { type FailureFile, saveFailure, readFailure, replay } from '../../testing/fuzz-library.js';
import { fileError, UsageError } from '../usage.js';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { natureOf } from '../../testing/fuzz/failure/nature.js';
import { stepText } from '../../testing/fuzz/step.js';
import { readUserText } from '../../core/user-file.js';

/** The files of each counterexample by name. */
export type Kept = ReadonlyMap<string, readonly string[]>;

/** Writes counterexamples as they are found, so that they survive an interrupted campaign. */
export class FindFolder {
  readonly kept = new Map<string, readonly string[]>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(file: FailureFile): Promise<void> {
    if (this.kept.has(file.name)) return;
    this.kept.set(file.name, []);
    const paths = await saveFailure(this.#folder, file).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : fileError(`--out ${this.#folder}`, 'written', error);
    });
    this.kept.set(file.name, paths);
  }
}

/** Converts the error of a replay to a UsageError that names the file. */
export function replayError(file: string, error: unknown): unknown {
  return error instanceof RangeError ? new UsageError(`${file}: ${error.message}`) : error;
}

/** The names of the JSON files in the folder of an option, sorted; none if the folder does not exist. Throws UsageError. */
export function jsonNamesIn(folder: string, option: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(`${option} ${folder}`, 'read', error);
  }
}

/**
 * Replays the counterexamples of earlier campaigns until `signal` is aborted. Reports those that fail, and how many were not checked, since
 * a rule or a model of the user found them.
 */
export async function replayKnown(folder: string, signal: AbortSignal) {
  const failing: FailureFile[] = [];
  let unchecked = 0;
  for (const name of jsonNamesIn(folder, '--out')) {
    if (signal.aborted) break;
    const path = join(folder, name);
    const file = readFailure(readUserText(path), path);
    const { verdict, failure, missing } = await replay(file).catch((error: unknown) => {
      throw replayError(path, error);
    });
    if (verdict === 'UNCHECKED') {
      unchecked += 1;
      process.stderr.write(`${path}: UNCHECKED: it was found by ${missing}\n`);
    }
    if (verdict !== 'FAILED') continue;
    failing.push(file);
    process.stderr.write(`${path}: FAILED at step ${(failure?.at ?? 0) + 1}: ${failure?.text ?? ''}\n`);
  }
  const [one, are] = failing.length === 1 ? ['', 's'] : ['s', ''];
  if (failing.length > 0)
    process.stderr.write(
      `sim: ${failing.length} counterexample${one} of ${folder} still fail${are}; searching for other failures\n`,
    );
  return { failing, unchecked };
}

/** A counterexample as text: a line with the rule and how it was broken, then its steps. */
export function failureText(file: FailureFile): string {
  const { steps, failure } = file;
  const step = steps[failure.at];
  const rule = failure.rule === undefined ? '' : `${failure.rule}: `;
  return [
    `${rule}${step?.do ?? ''}: ${failure.text.replaceAll('\n', ' ')}`,
    `  (${natureOf(file)})`,
    ...steps.map((each) => `  ${stepText(each)}`),
    `  kind: ${failure.kind}`,
  ].join('\n');
}
