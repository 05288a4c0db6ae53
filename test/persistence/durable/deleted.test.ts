import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentWith } from '../../support/world.js';
import { kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const WAYS: Readonly<Record<string, (dir: string) => void>> = {
  'whose folder was deleted': (dir) => rmSync(dir, { recursive: true }),
  'whose folder was deleted and recreated': (dir) => {
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
  },
  'whose file was deleted': (dir) => rmSync(join(dir, 'world.data')),
  'whose file was moved away': (dir) => renameSync(join(dir, 'world.data'), join(dir, 'other.data')),
};

for (const [what, destroy] of Object.entries(WAYS))
  for (const fsync of ['group', 'always', 'off'] as const)
    it(`every write to a world ${what} is rejected, with fsync ${fsync}, and reads continue`, async () => {
      const dir = join(temporaryFolder(), 'bank');
      const told: string[] = [];
      const sim = await kept(dir, { fsync }, { onTrouble: (message) => told.push(message) });
      const agent = await agentWith(sim, 0, { usdc: 5 });
      await agent.depositSavings({ amount: 1, token: 'USDC' });
      await sim.whenDurable();
      destroy(dir);
      for (let write = 0; write < 3; write += 1)
        await expect(agent.depositSavings({ amount: 1, token: 'USDC' })).rejects.toMatchObject({
          code: 'storage_unavailable',
        });
      expect((await agent.account()).savings.usdc).toBe(1);
      expect(told).toEqual([
        expect.stringContaining('world.data was deleted or replaced while it was in use'),
      ]);
    });
