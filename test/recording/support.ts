import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keypair } from '@solana/web3.js';
import type { AgentClient } from '../../src/sdk/client/client.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { differenceText } from '../../src/recording/replay/compare.js';
import { readRecording } from '../../src/recording/replay/read-recording.js';
import { replayRecording } from '../../src/recording/replay/replay.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { world } from '../support/world.js';
import { Session, devKeys } from './session.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The text of what a session did, from the beginning of its world on. */
export async function recordingOf(
  options: SimulatorOptions,
  act: (session: Session, sim: Simulator) => Promise<void>,
): Promise<string> {
  const path = join(temporaryFolder(), 'session.ndjson');
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

/** Who acts in a session. */
export interface Known {
  readonly dev: Keypair;
  readonly alice: AgentClient;
  readonly token: string;
}

/** A customer who has deposited. */
export async function begin(session: Session): Promise<Known> {
  const dev = devKeys(session.sim);
  const alice = await session.customer(dev.secretKey);
  await session.deposit(alice, dev, 1_000);
  return { dev, alice, token: session.tokens.at(-1) ?? '' };
}

/** The text of what a session with a customer did. */
export const recorded = (
  act: (session: Session, known: Known) => Promise<unknown>,
  options: SimulatorOptions = {},
): Promise<string> =>
  recordingOf({ seed: 'attack', ...options }, async (session) => {
    await act(session, await begin(session));
  });

/** The text of a recording that begins when `before` is done. */
export async function laterRecorded<T>(
  before: (session: Session, known: Known) => Promise<T>,
  act: (session: Session, known: Known, had: T) => Promise<unknown>,
  options: SimulatorOptions = {},
): Promise<string> {
  const sim = await world({ seed: 'later', ...options });
  const session = await Session.of(sim);
  const known = await begin(session);
  const had = await before(session, known);
  await sim.recording.start();
  await act(session, known, had);
  return (await sim.recording.stop()) ?? '';
}
