import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { DATA_FILE, WriteAheadFile } from '../../../src/persistence/durable/write-ahead-file.js';
import type { Simulator, SimulatorOptions } from '../../../src/index.js';
import type { SimulatorHooks } from '../../../src/simulator/simulator.js';
import { world } from '../../support/world.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A frozen world in a data folder, on litesvm unless said otherwise, closed when the test ends. */
export function kept(
  dataDir: string,
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  return world({ dataDir, ...options }, hooks);
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

export const QUIET = { onTrouble: () => undefined };

/** Lets every write of changes, or every write of a whole world, fail until the mock is restored. */
export function fullDisk(write: 'append' | 'replace' = 'append') {
  return vi.spyOn(WriteAheadFile.prototype, write).mockImplementation(async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
}
