import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { ControlClient } from '../../api/control/client.js';
import { isTaken } from '../../recording/recorder/session.js';
import { RemoteRefusal, UsageError, writing } from '../usage.js';

/** Stops the recording of a running simulator and saves it to a new or empty file. Recording continues if that is impossible. */
export async function stopInto(
  control: ControlClient,
  path: string,
): Promise<{ readonly path: string; readonly characters: number }> {
  const { path: there } = await control.do('recording');
  if (there !== null)
    throw new RemoteRefusal(
      `the simulator writes its recording to ${there} until it ends; sim control stop-recording ends it earlier`,
    );
  if (isTaken(path)) throw new UsageError(`${path} is not empty; name another file, or remove it first`);
  const isNew = !existsSync(path);
  const file = writing(path, () => openSync(path, 'a', 0o600));
  let text: string | null = null;
  try {
    const { recording } = await control.do('stopRecording');
    text = recording ?? '';
    writing(path, () => writeFileSync(file, text ?? ''));
  } finally {
    closeSync(file);
    if (text === null && isNew) rmSync(path, { force: true });
  }
  return { path, characters: text.length };
}
