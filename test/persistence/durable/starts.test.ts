// @module-tag slow
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { Bank } from '../../../src/bank/bank.js';
import { createSimulator } from '../../../src/index.js';
import { RawCaller } from '../../support/world.js';
import { QUIET, fullDisk, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('tokens of fresh secrets stay valid although the disk was full when they were drawn', async () => {
  const dir = temporaryFolder();
  await (await kept(dir)).close();
  const disk = fullDisk('replace');
  const fresh = await createSimulator({ dataDir: dir, freshSecrets: true }, QUIET);
  disk.mockRestore();
  const { token } = await fresh.agent(0).signIn();
  await fresh.close();
  const again = await kept(dir);
  expect(await new RawCaller(again, token).get('/agent/account')).toMatchObject({ status: 200 });
});

it.skipIf(!existsSync('/proc/self/fd'))(
  'a start that cannot resume closes the file of its world',
  async () => {
    const dir = temporaryFolder();
    await (await kept(dir)).close();
    const open = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir);
        } catch {
          return false;
        }
      });
    vi.spyOn(Bank.prototype, 'resume').mockRejectedValueOnce(new Error('no resumption'));
    await expect(createSimulator({ dataDir: dir })).rejects.toThrow('no resumption');
    expect(open()).toEqual([]);
    await kept(dir);
    expect(open()).not.toEqual([]);
  },
);

it('many worlds in one process cause no warning of too many listeners', async () => {
  const warnings: string[] = [];
  const listen = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message);
  };
  process.on('warning', listen);
  for (let at = 0; at < 12; at += 1) await kept(temporaryFolder());
  await new Promise(setImmediate);
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});
