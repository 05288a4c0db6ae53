import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { ControlClient } from '../../api/control/client.js';
import { RemoteRefusal, writing } from '../usage.js';

/** Stops the recording of a running simulator and saves it to a file. Opens the file first: if that fails, recording continues. */
export async function stopInto(control: ControlClient, path: string) {
  const isNew = !existsSync(path);
  // Not truncated yet: that waits until there is something to write.
  const file = writing(path, () => openSync(path, 'a', 0o600));
  let text: string | null = null;
  try {
    const { recording, path: there } = await control.do('stopRecording');
    if (recording === null)
      throw new RemoteRefusal(`recording stopped; the simulator wrote it to ${there ?? ''}`);
    text = recording;
    writing(path, () => {
      // Previous contents must be removed; a pipe has none.
      if (fstatSync(file).isFile()) ftruncateSync(file);
      writeFileSync(file, recording);
    });
  } finally {
    closeSync(file);
    if (text === null && isNew) rmSync(path, { force: true });
  }
  return { path, characters: text.length };
}
