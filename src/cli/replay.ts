import { isRecording } from '../recording/replay/read-recording.js';
import type { ReplayArguments } from './fuzz/flags.js';
import { MAX_LOG_BYTES, readUserText } from '../core/user-file.js';

/** Replays a recording or a counterexample, detected by its format. */
export async function replayAny(args: ReplayArguments): Promise<void> {
  const text = readUserText(args.file, MAX_LOG_BYTES);
  if (isRecording(text)) await (await import('./recording/replay.js')).replaySession(args, text);
  else await (await import('./fuzz/replay.js')).replayFile(args, text);
}
