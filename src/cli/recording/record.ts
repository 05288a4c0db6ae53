import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { ControlClient } from '../../api/control/client.js';
import { RemoteRefusal, fileError } from '../usage.js';

/** Stops the recording of a running simulator and saves it to a file. Opens the file first: if that fails, recording continues. */
export async function stopInto(
  control: ControlClient,
  path: string,
): Promise<{ readonly path: string; readonly characters: number }> {
  const file = opened(path);
  let text: string | null = null;
  try {
    const { recording, path: there } = await control.do('stopRecording');
    if (recording === null)
      throw new RemoteRefusal(`recording stopped; the simulator wrote it to ${there ?? ''}`);
    text = recording;
    // Previous contents must be removed; a pipe has none.
    if (fstatSync(file.descriptor).isFile()) ftruncateSync(file.descriptor);
    writeFileSync(file.descriptor, text);
  } catch (error) {
    throw text === null ? error : fileError(path, 'written', error);
  } finally {
    closeSync(file.descriptor);
    if (text === null && file.isNew) rmSync(path, { force: true });
  }
  return { path, characters: text.length };
}

/** Opens a file for writing without truncating it. Throws UsageError. */
function opened(path: string): { readonly descriptor: number; readonly isNew: boolean } {
  const isNew = !existsSync(path);
  try {
    return { descriptor: openSync(path, 'a', 0o600), isNew };
  } catch (error) {
    throw fileError(path, 'written', error);
  }
}
