import { replay } from '../../testing/fuzz-library.js';
import { stepText } from '../../testing/fuzz/step.js';
import type { Step } from '../../testing/fuzz/step.js';
import { EXIT, UsageError } from '../usage.js';
import { failureAt } from './failures.js';

/** Replays a counterexample and prints FIXED, or FAILED and where. Sets exit code 1 for the latter. */
export async function replayFile(args: {
  readonly file: string;
  readonly engine?: 'litesvm' | 'bankrun' | undefined;
  readonly json: boolean;
}): Promise<void> {
  const { file, engine, json } = args;
  const read = failureAt(file);
  const { verdict, failure } = await replay(read, engine === undefined ? {} : { engine }).catch(
    (error: unknown) => {
      throw error instanceof RangeError ? new UsageError(`${file}: ${error.message}`) : error;
    },
  );
  if (verdict === 'FAILED') process.exitCode = EXIT.failed;
  if (json) {
    process.stdout.write(`${JSON.stringify({ verdict, failure })}\n`);
    return;
  }
  const step = (read.steps as readonly Step[])[failure?.at ?? 0];
  const text =
    failure === null || step === undefined
      ? `FIXED: ${read.name}, ${read.steps.length} steps\n`
      : `FAILED at step ${failure.at + 1} of ${read.steps.length}: ${read.name}\n  ${stepText(step)}\n  ${failure.text}\n`;
  process.stdout.write(text);
}
