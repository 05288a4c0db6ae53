import { isRecording } from '../recording/format.js';
import type { ReplayArguments } from './recording/replay.js';
import { textOf } from './recording/read.js';

/** Plays a file again that is a recording or a counterexample, which its format tells. */
export async function replayAny(args: ReplayArguments): Promise<void> {
  const text = textOf(args.file);
  if (isRecording(text)) await (await import('./recording/replay.js')).replaySession(args, text);
  else await (await import('./fuzz/replay.js')).replayFile(args);
}
