import { UnreadableFailure, replay } from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import type { Step } from '../../testing/fuzz/step.js';
import { EXIT, UsageError } from '../usage.js';
import { failureAt } from './failures.js';

/**
 * Replays a counterexample and prints FIXED, or FAILED and where, or UNCHECKED when the rule or model that found it is not given. Sets exit
 * code 1 for FAILED and 3 for UNCHECKED.
 */
export async function replayFile(args: {
  readonly file: string;
  readonly engine?: 'litesvm' | 'bankrun' | undefined;
  readonly json: boolean;
}): Promise<void> {
  const { file, engine, json } = args;
  const read = failureAt(file);
  const replayed = await replay(read, engine === undefined ? {} : { engine }).catch((error: unknown) => {
    if (error instanceof UnreadableFailure) throw new UsageError(error.message);
    throw error instanceof RangeError ? new UsageError(`${file}: ${error.message}`) : error;
  });
  const { verdict, failure, missing } = replayed;
  if (verdict !== 'FIXED') process.exitCode = verdict === 'FAILED' ? EXIT.failed : EXIT.unchecked;
  if (json) {
    process.stdout.write(`${JSON.stringify(replayed)}\n`);
    return;
  }
  if (verdict === 'UNCHECKED') {
    process.stdout.write(
      `UNCHECKED: ${read.name}, ${read.steps.length} steps: it was found by ${missing}; pass it to replay() of agent-bank-sim/fuzz\n`,
    );
    return;
  }
  const step = (read.steps as readonly Step[])[failure?.at ?? 0];
  const text =
    failure === null || step === undefined
      ? `FIXED: ${read.name}, ${read.steps.length} steps\n`
      : `FAILED at step ${failure.at + 1} of ${read.steps.length}: ${read.name}\n  ${stepText(step)}\n  ${failure.text}\n`;
  process.stdout.write(text);
}
