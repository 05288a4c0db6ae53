import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SimulatorOptions } from '../../src/config.js';
import { differenceText } from '../../src/recording/compare.js';
import { readRecording } from '../../src/recording/read-recording.js';
import { replayRecording } from '../../src/recording/replay.js';
import type { Simulator } from '../../src/simulator.js';
import { world } from '../support/world.js';
import { Session } from './session.js';

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'sim-test-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** The text of what a session did, from the beginning of its world on. */
export async function recordingOf(
  options: SimulatorOptions,
  act: (session: Session, sim: Simulator) => Promise<void>,
): Promise<string> {
  const path = join(folder(), 'session.ndjson');
  const sim = await world(options);
  await sim.recording.start({ path, isNew: true });
  const session = await Session.of(sim);
  await act(session, sim);
  await sim.close();
  return readFileSync(path, 'utf8');
}

/** Where a replay differs, in words. */
export async function differencesOf(text: string, engine?: 'litesvm' | 'bankrun'): Promise<string[]> {
  const { different } = await replayRecording(readRecording(text, 'session.ndjson'), { engine });
  return different.flatMap(({ number, what, differences }) =>
    differences.map((difference) => `line ${number}: ${what}: ${differenceText(difference)}`),
  );
}
