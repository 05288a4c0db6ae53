import { counted } from '../../core/counted.js';
import { type FailureFile, type Replayed, readFailure, replay } from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import { printResult } from '../print-result.js';
import { EXIT } from '../usage.js';
import { replayError } from './failures.js';
import type { ReplayArguments } from './flags.js';

/** The result in one line; for a failed step, three lines of details. */
export function verdictText({ name, steps }: FailureFile, { verdict, failure, missing }: Replayed): string {
  if (verdict === 'UNCHECKED')
    return `UNCHECKED: ${name}, ${counted(steps.length, 'step')}: it was found by ${missing}; pass it to replay() of agent-bank-sim/fuzz`;
  const step = steps[failure?.at ?? 0];
  return failure === null || step === undefined
    ? `FIXED: ${name}, ${counted(steps.length, 'step')}`
    : `FAILED at step ${failure.at + 1} of ${steps.length}: ${name}\n  ${stepText(step)}\n  ${failure.text}`;
}

/**
 * Replays a counterexample and prints FIXED, FAILED with the step, or UNCHECKED if the rule or model that found it is missing. Sets exit code 1 for FAILED and 3 for UNCHECKED.
 */
export async function replayFile(
  args: Pick<ReplayArguments, 'file' | 'engine' | 'json'>,
  text: string,
): Promise<void> {
  const { file, engine } = args;
  const read = readFailure(text, file);
  const replayed = await replay(read, engine === undefined ? {} : { engine }).catch((error: unknown) => {
    throw replayError(file, error);
  });
  const { verdict } = replayed;
  if (verdict !== 'FIXED') process.exitCode = verdict === 'FAILED' ? EXIT.failed : EXIT.unchecked;
  printResult(args, replayed, verdictText(read, replayed));
}
