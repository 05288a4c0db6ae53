// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dumpOf } from '../../support/dump.js';
import { ENGINES } from '../../support/world.js';
import { checkSound, customersIn, lookBack, originOf, victim } from './kills.js';
import { kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const DATA = 'world.data';
const HAS_PRLIMIT = spawnSync('prlimit', ['--version']).status === 0;

describe.each(ENGINES)('on a full disk, on %s,', (engine) => {
  it(
    'writes are refused with storage_unavailable until there is room, reads continue, and no answered write is lost',
    { timeout: 60_000 },
    async ({ skip }) => {
      skip(!HAS_PRLIMIT, 'there is no prlimit, which raises the limit again');
      const dir = temporaryFolder();
      const customers = await customersIn(dir, engine, `full-${engine}`);
      const limitKib = Math.ceil(statSync(join(dir, DATA)).size / 1_024) + 40;
      const wrapper = ['bash', '-c', `ulimit -Sf ${limitKib}; exec "$@"`, 'bash'];
      const service = victim({ dataDir: dir, compactAt: 1_000 }, wrapper);
      const origin = await originOf(service);
      const isFull = () => customers.every(({ refused }) => refused.length > 2);
      for (const customer of customers) customer.moveTo(origin);
      await Promise.all(customers.map((customer) => customer.live(isFull)));
      for (const { agent } of customers) await agent.account();
      await checkSound(origin);
      // Near the limit a small change may fit where a larger one did not.
      expect(service.stderr).toMatch(
        /^(TROUBLE the data folder cannot be written \(Error: EFBIG.*\n(TROUBLE the data folder can be written again\n)?)+$/,
      );
      const answered = () => customers.reduce((sum, each) => sum + each.answered.size, 0);
      const before = answered();
      expect(before).toBeGreaterThan(5);
      // The limit of `ulimit -S` can be raised again.
      execFileSync('prlimit', ['--pid', String(service.pid), '--fsize=unlimited']);
      await Promise.all(customers.map((customer) => customer.live(() => answered() > before + 30)));
      expect(answered()).toBeGreaterThan(before + 30);
      expect(service.stderr).toMatch(/the data folder can be written again\n$/);
      await service.endedBy('SIGKILL');

      const again = await originOf(victim({ dataDir: dir }));
      await lookBack(customers, again);
    },
  );
});

describe('on a disk that becomes writable again', () => {
  it('the trouble and its end are reported once, and a refused revert succeeds', async () => {
    const dir = temporaryFolder();
    const told: string[] = [];
    const sim = await kept(dir, {}, { onTrouble: (message) => told.push(message) });
    const agent = sim.agent(0);
    await agent.fund(100, 'USDC');
    const before = await dumpOf(sim);
    // A revert writes a new file beside the old one, where a folder blocks it.
    const id = await sim.snapshot();
    await agent.depositSavings({ amount: 1, token: 'USDC' });
    const saved = await dumpOf(sim);
    mkdirSync(join(dir, `${DATA}.new`));
    await expect(sim.revert(id)).rejects.toThrow();
    expect(await dumpOf(sim)).toBe(saved);
    await agent.account();
    rmSync(join(dir, `${DATA}.new`), { recursive: true });
    await sim.revert(id);
    expect(await dumpOf(sim)).toBe(before);
    expect(told).toEqual([
      expect.stringMatching(/^the data folder cannot be written .*EISDIR/),
      'the data folder can be written again',
    ]);
    writeFileSync(join(dir, 'notes.txt'), 'a foreign file does no harm beside a world');
    await sim.close();
    await (await kept(dir)).close();
  });
});
