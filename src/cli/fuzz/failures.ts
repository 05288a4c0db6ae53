import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FailureFile,
  type Step,
  UnreadableFailure,
  readFailure,
  replay,
  scenarioOf,
  testOf,
  writeFailure,
} from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import { UsageError } from '../usage.js';

/** Reads a counterexample. Throws UsageError. */
export function failureAt(path: string): FailureFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return readFailure(text, path);
  } catch (error) {
    throw error instanceof UnreadableFailure ? new UsageError(error.message) : error;
  }
}

/** The counterexamples in a folder, sorted by name; none if the folder does not exist. */
export function failuresIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UsageError(`--out ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Replays the counterexamples of a folder until `signal` is aborted; returns those that still fail. */
export async function stillFailing(folder: string, signal: AbortSignal): Promise<string[]> {
  const failing: string[] = [];
  for (const path of failuresIn(folder)) {
    if (signal.aborted) break;
    const { verdict, failure } = await replay(failureAt(path));
    if (verdict === 'FIXED') continue;
    failing.push(path);
    process.stderr.write(`${path}: FAILED at step ${(failure?.at ?? 0) + 1}: ${failure?.text ?? ''}\n`);
  }
  return failing;
}

/** Saves a counterexample as JSON, as a scenario and as a test; returns the paths. Throws UsageError. */
export async function keepFailure(folder: string, file: FailureFile): Promise<string[]> {
  const texts: Readonly<Record<string, string>> = {
    [`${file.name}.json`]: writeFailure(file),
    [`${file.name}.yaml`]: await scenarioOf(file),
    [`${file.name}.test.ts`]: testOf(file),
  };
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw new UsageError(`--out ${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  return Object.keys(texts).map((name) => join(folder, name));
}

/** A counterexample for people: its steps, the failure, and the result on the other engine. */
export function failureText(file: FailureFile): string {
  const { steps, failure, confirmed, world } = file;
  const other =
    confirmed.failure === null
      ? `passes on ${confirmed.engine}: the engines differ`
      : confirmed.failure.kind === failure.kind
        ? `confirmed on ${confirmed.engine}`
        : `fails differently on ${confirmed.engine}: ${confirmed.failure.text}`;
  return [
    `A rule is broken (${world.engine}; ${other}):`,
    '',
    ...(steps as readonly Step[]).map((step) => `  ${stepText(step)}`),
    '',
    `  ${failure.text}`,
    '',
  ].join('\n');
}
