import { counted } from '../../core/counted.js';
import { type FailureFile, type Replayed, UnreadableFailure, replay } from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import type { Step } from '../../testing/fuzz/step.js';
import { EXIT, UsageError } from '../usage.js';
import { failureAt } from './failures.js';

/** The result in one line; for a failed step, three lines of details. */
export function verdictText({ name, steps }: FailureFile, { verdict, failure, missing }: Replayed): string {
  if (verdict === 'UNCHECKED')
    return `UNCHECKED: ${name}, ${counted(steps.length, 'step')}: it was found by ${missing}; pass it to replay() of agent-bank-sim/fuzz\n`;
  const step = (steps as readonly Step[])[failure?.at ?? 0];
  return failure === null || step === undefined
    ? `FIXED: ${name}, ${counted(steps.length, 'step')}\n`
    : `FAILED at step ${failure.at + 1} of ${steps.length}: ${name}\n  ${stepText(step)}\n  ${failure.text}\n`;
}

/** Converts the error of a counterexample file to a UsageError. */
export function replayError(file: string, error: unknown): unknown {
  if (error instanceof UnreadableFailure) return new UsageError(error.message);
  return error instanceof RangeError ? new UsageError(`${file}: ${error.message}`) : error;
}

/**
 * Replays a counterexample and prints FIXED, FAILED with the step, or UNCHECKED if the rule or model that found it is missing. Sets exit code 1 for FAILED and 3 for UNCHECKED.
 */
export async function replayFile(
  args: {
    readonly file: string;
    readonly engine?: 'litesvm' | 'bankrun' | undefined;
    readonly json: boolean;
  },
  text: string,
): Promise<void> {
  const { file, engine, json } = args;
  const read = failureAt(file, text);
  const replayed = await replay(read, engine === undefined ? {} : { engine }).catch((error: unknown) => {
    throw replayError(file, error);
  });
  const { verdict } = replayed;
  if (verdict !== 'FIXED') process.exitCode = verdict === 'FAILED' ? EXIT.failed : EXIT.unchecked;
  process.stdout.write(json ? `${JSON.stringify(replayed)}\n` : verdictText(read, replayed));
}
