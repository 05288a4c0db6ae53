import { counted } from '../../core/counted.js';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ConvertedRecording } from '../../api/control/world.js';
import { readRecording } from '../../recording/replay/read-recording.js';
import { toScenario } from '../../recording/scenario/to-scenario.js';
import { isTaken } from '../../recording/recorder/session.js';
import { UsageError, writing } from '../usage.js';
import { printable } from '../../core/printable.js';
import { MAX_LOG_BYTES, readUserText } from '../../core/user-file.js';

/** Converts the text of a recording to a scenario. Throws RangeError. */
export async function scenarioOf(text: string, name: string): Promise<ConvertedRecording> {
  return toScenario(readRecording(text, 'recording'), { name, all: false });
}

/** Converts a recording to a scenario and reports omitted lines on stderr, with reasons. Throws UnreadableRecording, UsageError. */
export async function makeScenario(args: {
  readonly file: string;
  readonly out?: string | undefined;
  readonly name?: string | undefined;
  readonly all: boolean;
}): Promise<void> {
  const { file, out, all } = args;
  const name = args.name ?? `Recorded in ${basename(file)}`;
  const stateFile = out === undefined ? {} : { stateFile: `${basename(out)}.sim` };
  if (out !== undefined && isTaken(out))
    throw new UsageError(`${out} is not empty; name another file, or remove it first`);
  const recording = readRecording(readUserText(file, MAX_LOG_BYTES), file);
  const made = await toScenario(recording, { name, all, ...stateFile });
  if (recording.isCut) process.stderr.write('sim: the recording is incomplete; its end is missing\n');
  for (const { number, why } of made.leftOut)
    process.stderr.write(`line ${number} is omitted: ${printable(why)}\n`);
  if (out === undefined) {
    process.stdout.write(made.scenario);
    return;
  }
  writing(out, () => {
    writeFileSync(out, made.scenario);
    const { state } = recording.header;
    if (state !== null) writeFileSync(`${out}.sim`, Buffer.from(state, 'base64'));
  });
  process.stdout.write(`${out}: ${counted(made.steps, 'step')}\n`);
}
