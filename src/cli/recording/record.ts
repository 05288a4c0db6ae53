import { writeFileSync } from 'node:fs';
import type { ControlClient } from '../../control/client.js';
import { RemoteRefusal, UsageError } from '../usage.js';

/** Ends a recording of a running simulator and keeps it in a file. */
export async function stopInto(
  control: ControlClient,
  path: string,
): Promise<{ readonly path: string; readonly characters: number }> {
  const { recording, path: there } = await control.do('stopRecording');
  if (recording === null)
    throw new RemoteRefusal(`the recording was ended; it is in the simulator's own file ${there ?? ''}`);
  try {
    writeFileSync(path, recording, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  return { path, characters: recording.length };
}
