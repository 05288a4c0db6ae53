import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DATA_FILE } from '../../../src/persistence/durable/write-ahead-file.js';
import { type Simulator, createSimulator } from '../../../src/simulator/simulator.js';
import { dumpOf } from '../../support/dump.js';
import { ENGINES, RawCaller, agentWith } from '../../support/world.js';
import { keepBusy, RATES } from '../state-file/support.js';
import { RandomPlay } from '../../support/random-play.js';
import { asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe.each(ENGINES)('world in a data folder, on %s', (engine) => {
  it('is unchanged by a kill, with all work in flight', { tags: ['slow'] }, async () => {
    const dir = temporaryFolder();
    const options = { engine, oracle: RATES, variants: { withdrawals: 'queued' } } as const;
    const sim = await kept(dir, options);
    await keepBusy(sim);
    await sim.whenDurable();
    const again = await kept(asKilledNow(dir), { engine });
    expect(await dumpOf(again)).toBe(await dumpOf(sim));
    expect(await again.invariants()).toEqual([]);
    const after = await Promise.all([sim, again].map((one) => one.advance('60d')));
    expect(after[1]).toEqual(after[0]);
  });

  it('is unchanged by a kill at any point of random play', { tags: ['slow'] }, async () => {
    for (const seed of ['durable-1', 'durable-2', 'durable-3']) {
      const dir = temporaryFolder();
      const sim = await kept(dir, { engine, compactAt: 0.2 });
      const random = new RandomPlay(sim, seed, { agents: 4, hasFaults: true });
      for (let round = 0; round < 6; round += 1) {
        await random.play(30);
        await sim.whenDurable();
        const again = await kept(asKilledNow(dir), { engine });
        expect(await dumpOf(again), `seed ${seed}, round ${round}`).toBe(await dumpOf(sim));
        expect(await again.invariants()).toEqual([]);
        await again.close();
      }
    }
  });

  it('continues after it is closed and accepts its tokens', async () => {
    const dir = temporaryFolder();
    const first = await kept(dir, { engine });
    const { token } = await (await agentWith(first, 0, { usdc: 50 })).signIn();
    const before = await dumpOf(first);
    await first.close();
    const second = await kept(dir, { engine });
    expect(await dumpOf(second)).toBe(before);
    expect(await new RawCaller(second, token).get('/agent/account')).toMatchObject({ status: 200 });
    await second.close();
    const third = await kept(dir, { engine });
    expect(await third.agent(0).account()).toMatchObject({ checking: { usdc: 50 } });
  });

  it('continues from a revert after a kill', async () => {
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine });
    const agent = await agentWith(sim, 0, { usdc: 50 });
    const id = await sim.snapshot();
    await agent.depositSavings({ amount: 10, token: 'USDC' });
    await sim.revert(id);
    await agent.depositSavings({ amount: 3, token: 'USDC' });
    const again = await kept(asKilledNow(dir), { engine });
    expect(await dumpOf(again)).toBe(await dumpOf(sim));
    expect((await again.agent(0).account()).savings.usdc).toBe(3);
  });
});

describe('data folder', () => {
  it('takes engine and time mode from the start options, and keeps the engine', async () => {
    const dir = temporaryFolder();
    const first = await kept(dir, { engine: 'bankrun' });
    await agentWith(first, 0, { usdc: 50 });
    await first.close();
    const second = await kept(dir, { engine: 'litesvm' });
    await second.agent(0).withdraw({ amount: 5, token: 'USDC' });
    await second.close();
    const third = await createSimulator({ dataDir: dir, inspector: false });
    expect(third.config).toMatchObject({ engine: 'litesvm', inspector: false });
    expect(third.timeMode()).toEqual({ kind: 'frozen' });
    expect(await third.invariants()).toEqual([]);
    await third.close();
  });

  it('is compacted while the world runs', { tags: ['slow'] }, async () => {
    const dir = temporaryFolder();
    const sim = await kept(dir, { compactAt: 0.1 });
    const agent = await agentWith(sim, 0, { usdc: 500 });
    const files = new Set<number>();
    for (let at = 0; at < 150; at += 1) {
      await agent.withdraw({ amount: 1, token: 'USDC' });
      files.add(statSync(join(dir, DATA_FILE)).ino);
    }
    expect(files.size).toBeGreaterThan(1);
    const again = await kept(asKilledNow(dir));
    expect(await dumpOf(again)).toBe(await dumpOf(sim));
  });

  it('starts from a state when it is new, and rejects one otherwise', async () => {
    const first = await kept(temporaryFolder(), { seed: 'other' });
    await agentWith(first, 0, { usdc: 7 });
    const state = await first.exportState({ withKeys: true });
    const dir = temporaryFolder();
    const second = await createSimulator({ dataDir: dir, state });
    await second.agent(0).depositSavings({ amount: 1, token: 'USDC' });
    await second.close();
    const third = await createSimulator({ dataDir: dir });
    expect(await third.agent(0).account()).toMatchObject({ checking: { usdc: 6 } });
    expect(third.config.seed).toBe('other');
    await third.close();
    await expect(createSimulator({ dataDir: dir, state })).rejects.toThrow(/already holds a world/);
  });

  it('rejects options of another world and accepts equal ones', async () => {
    const dir = temporaryFolder();
    const same = {
      seed: 7,
      startTime: '2026-03-01',
      variants: { score: '300-850' },
      withdrawalDelay: '5m',
    } as const;
    await (await kept(dir, same)).close();
    const again = await kept(dir, { ...same, seed: '7', withdrawalDelay: '300s' });
    const { withdrawals, ...variants } = again.config.variants;
    await again.close();
    for (const part of [{}, { withdrawals }, variants]) await (await kept(dir, { variants: part })).close();
    for (const other of [
      { seed: 8 },
      { startTime: '2026-04-01' },
      { variants: { score: '0-1000' } },
      { variants: { ...variants, withdrawals: 'queued' } },
      { confirmationSlots: 5 },
      { withdrawalDelay: '6m' },
      { oracle: { solUsd: 1 } },
    ] as const)
      await expect(createSimulator({ dataDir: dir, ...other })).rejects.toThrow(
        new RegExp(`^${Object.keys(other)[0]}: the world in .* has a different value`),
      );
    await expect(createSimulator({ fsync: 'off' })).rejects.toThrow(/only for a world in a data folder/);
    await (await kept(dir)).close();
  });

  it('keeps the clock of a running world ahead by its jumps', async () => {
    const dir = temporaryFolder();
    const first = await kept(dir, { time: 'real' });
    await first.advance('30d');
    /** Between what and what the clock is ahead of the machine's. */
    const ahead = (sim: Simulator) => {
      const before = Date.now();
      const now = sim.now().getTime();
      return [now - Date.now() - 1, now - before + 1] as const;
    };
    const pass = async (ms: number) => {
      const from = Date.now();
      while (Date.now() < from + ms) await setImmediate();
    };
    const [least, most] = ahead(first);
    await first.close();
    // A clock that stood still meanwhile, or stands still now, falls behind.
    await pass(50);
    const second = await kept(dir, { time: 'real' });
    for (let times = 0; times < 2; times += 1) {
      const [leastNow, mostNow] = ahead(second);
      expect(leastNow).toBeLessThanOrEqual(most);
      expect(mostNow).toBeGreaterThanOrEqual(least);
      await pass(50);
    }
    await second.close();
  });
});
