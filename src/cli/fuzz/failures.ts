import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FailureFile,
  UnreadableFailure,
  readFailure,
  replay,
  scenarioOf,
  testOf,
  writeFailure,
} from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError, fileError } from '../usage.js';

/** Reads a counterexample; `text` is the content if already read. Throws UsageError and UnreadableFile. */
export function failureAt(path: string, text = readUserText(path)): FailureFile {
  try {
    return readFailure(text, path);
  } catch (error) {
    throw error instanceof UnreadableFailure ? new UsageError(error.message) : error;
  }
}

/** Converts the error of a counterexample file to a UsageError. */
export function replayError(file: string, error: unknown): unknown {
  if (error instanceof UnreadableFailure) return new UsageError(error.message);
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

/** Replays the counterexamples of earlier campaigns until `signal` is aborted. Returns those that still fail, and reports them. */
export async function stillFailing(folder: string, signal: AbortSignal): Promise<FailureFile[]> {
  const failing: FailureFile[] = [];
  for (const name of jsonNamesIn(folder, '--out')) {
    if (signal.aborted) break;
    const path = join(folder, name);
    const file = failureAt(path);
    const { verdict, failure, missing } = await replay(file).catch((error: unknown) => {
      throw replayError(path, error);
    });
    if (verdict === 'UNCHECKED') process.stderr.write(`${path}: UNCHECKED: it was found by ${missing}\n`);
    if (verdict !== 'FAILED') continue;
    failing.push(file);
    process.stderr.write(`${path}: FAILED at step ${(failure?.at ?? 0) + 1}: ${failure?.text ?? ''}\n`);
  }
  const [one, are] = failing.length === 1 ? ['', 's'] : ['s', ''];
  if (failing.length > 0)
    process.stderr.write(
      `sim: ${failing.length} counterexample${one} of ${folder} still fail${are}; searching for other failures\n`,
    );
  return failing;
}

/**
 * Saves a counterexample as JSON, as a test and, if a scenario can express it, as a scenario; returns the paths. A counterexample that cannot be repeated is saved as JSON only. Throws UsageError.
 */
export async function keepFailure(folder: string, file: FailureFile): Promise<string[]> {
  const texts: Record<string, string> = { [`${file.name}.json`]: writeFailure(file) };
  if (file.unrepeatable !== true) {
    const scenario = await scenarioOf(file);
    if (scenario !== null) texts[`${file.name}.yaml`] = scenario;
    texts[`${file.name}.test.ts`] = testOf(file);
  }
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw fileError(`--out ${folder}`, 'written', error);
  }
  return Object.keys(texts).map((name) => join(folder, name));
}

/** The kind of a counterexample, by the results of its replays. */
function nature({ failure, confirmed, world, steps, unrepeatable }: FailureFile): string {
  if (unrepeatable === true)
    return `${world.engine}; not reproduced in a fresh world, so some state survives in the process: the file holds everything that the world had played`;
  const isReverted = steps.some((step) => step.do === 'revert');
  const survived = isReverted ? 'state survives a revert; ' : '';
  if (confirmed.failure === null)
    return `${world.engine}; ${survived}passes on ${confirmed.engine}: the engines differ`;
  return confirmed.failure.kind === failure.kind
    ? `${world.engine}; ${survived}confirmed on ${confirmed.engine}`
    : `${world.engine}; ${survived}fails differently on ${confirmed.engine}: ${confirmed.failure.text}`;
}

/** A counterexample as text: a line with the rule and how it was broken, then its steps. */
export function failureText(file: FailureFile): string {
  const { steps, failure } = file;
  const step = steps[failure.at];
  const rule = failure.rule === undefined ? '' : `${failure.rule}: `;
  return [
    `${rule}${step?.do ?? ''}: ${failure.text.replaceAll('\n', ' ')}`,
    `  (${nature(file)})`,
    ...steps.map((each) => `  ${stepText(each)}`),
    `  kind: ${failure.kind}`,
  ].join('\n');
}
