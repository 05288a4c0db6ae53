import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { ControlClient } from '../../api/control/client.js';
import { isTaken } from '../../recording/recorder/session.js';
import { RemoteRefusal, UsageError, writing } from '../usage.js';

/** Stops the recording of a running simulator and saves it to a new or empty file. Recording continues if that is impossible. */
export async function stopInto(control: ControlClient, path: string) {
  const { path: there } = await control.do('recording');
  if (there !== null)
    throw new RemoteRefusal(
      `the simulator writes its recording to ${there} until it ends; sim control stop-recording ends it earlier`,
    );
  if (isTaken(path)) throw new UsageError(`${path} is not empty; name another file, or remove it first`);
  const file = writing(path, () => openSync(path, 'a', 0o600));
  try {
    const { recording } = await control.do('stopRecording');
    const text = recording ?? '';
    writing(path, () => writeFileSync(file, text));
    return { path, characters: text.length };
  } finally {
    closeSync(file);
  }
}
