import type * as Fs from 'node:fs';
import { readdirSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { dumpOf } from '../../support/dump.js';
import { agentWith } from '../../support/world.js';
import { QUIET, asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const failing = vi.hoisted(() => ({ lock: false, folder: false }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  return {
    ...fs,
    // As a disk that is full does: the file is there, and nothing is in it.
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      if (!failing.lock || typeof args[1] !== 'string') return fs.writeSync(...args);
      throw full();
    },
    fsyncSync: (fd: number) => {
      if (failing.folder && fs.fstatSync(fd).isDirectory())
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return fs.fsyncSync(fd);
    },
  };
});

afterEach(() => {
  failing.lock = false;
  failing.folder = false;
});

it('a world starts on a disk that is too full for the content of its lock, and leaves no lock behind', async () => {
  const dir = temporaryFolder();
  await (await kept(dir)).close();
  failing.lock = true;
  await (await kept(dir)).close();
  expect(readdirSync(dir).filter((name) => name.startsWith('lock-'))).toEqual([]);
  failing.lock = false;
  await (await kept(dir)).close();
});

it('writes after a revert survive a kill although the folder could not be synced', async () => {
  const dir = temporaryFolder();
  const sim = await kept(dir, {}, QUIET);
  const id = await sim.snapshot();
  const agent = await agentWith(sim, 0, { usdc: 5 });
  failing.folder = true;
  await sim.revert(id);
  failing.folder = false;
  await agent.signIn();
  await sim.whenDurable();
  const again = await kept(asKilledNow(dir));
  expect(await dumpOf(again)).toBe(await dumpOf(sim));
});

it('a world whose new folder could not be synced leaves no file for the next start', async () => {
  const dir = temporaryFolder();
  failing.folder = true;
  await expect(kept(dir)).rejects.toMatchObject({ code: 'data_unreachable' });
  expect(readdirSync(dir)).toEqual([]);
});
