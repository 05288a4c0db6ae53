import { isRecording } from '../recording/replay/read-recording.js';
import type { ReplayArguments } from './fuzz/flags.js';
import { textOf } from '../core/request-body.js';
import { MAX_LOG_BYTES, readUserFile } from '../core/user-file.js';
import { isState } from '../persistence/state-file/file.js';
import { UsageError } from './usage.js';

/** Replays a recording or a counterexample, detected by its format. Throws UsageError for a state file. */
export async function replayAny(args: ReplayArguments): Promise<void> {
  const bytes = readUserFile(args.file, MAX_LOG_BYTES);
  const file = args.file === '-' ? 'standard input' : args.file;
  if (isState(bytes))
    throw new UsageError(
      `${file}: a state file cannot be replayed; open it with sim inspect or sim start --state`,
    );
  const text = textOf(bytes);
  if (isRecording(text)) await (await import('./recording/replay.js')).replaySession({ ...args, file }, text);
  else await (await import('./fuzz/replay.js')).replayFile({ ...args, file }, text);
}
