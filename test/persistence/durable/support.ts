import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DATA_FILE } from '../../../src/persistence/durable/write-ahead-file.js';
import { type Simulator, type SimulatorOptions, createSimulator } from '../../../src/index.js';
import type { SimulatorHooks } from '../../../src/simulator/simulator.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A frozen world in a data folder, on litesvm unless said otherwise, closed when the test ends. */
export async function kept(
  dataDir: string,
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  const sim = await createSimulator({ dataDir, engine: 'litesvm', time: 'frozen', ...options }, hooks);
  onTestFinished(() => sim.close());
  return sim;
}

/** The file of a data folder. */
export function dataOf(dataDir: string): Buffer {
  return readFileSync(join(dataDir, DATA_FILE));
}

/** A folder that holds these bytes as its file. */
export function folderOf(bytes: Uint8Array): string {
  const path = temporaryFolder();
  writeFileSync(join(path, DATA_FILE), bytes);
  return path;
}

/** What a process that is killed now leaves behind. */
export function asKilledNow(dataDir: string): string {
  const path = join(temporaryFolder(), 'copy');
  mkdirSync(path);
  cpSync(join(dataDir, DATA_FILE), join(path, DATA_FILE));
  return path;
}
