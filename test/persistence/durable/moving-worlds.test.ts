import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, createSimulator } from '../../../src/index.js';
import { dumpOf } from '../../support/dump.js';
import { agentWith, world } from '../../support/world.js';
import { QUIET, asKilledNow, fullDisk, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A state with many accounts that the importing world does not have. */
async function richState(hasEntries: boolean): Promise<Uint8Array> {
  const elsewhere = await world({ engine: 'bankrun', startTime: '2026-06-01' });
  if (hasEntries) await agentWith(elsewhere, 0, { usdc: 500, sol: 5 });
  for (let at = 0; at < 60; at += 1) await elsewhere.setBalance(elsewhere.createWallet().address, 1, 'SOL');
  return elsewhere.exportState();
}

/** Calls a world until a promise settles, and does so much after each call. */
async function callWhile(work: Promise<unknown>, sim: Simulator, then = () => {}): Promise<void> {
  while ((await Promise.race([work, turn('under way')])) === 'under way') {
    await sim.fetch('/nowhere');
    then();
  }
}

/** Calls a world until a promise settles; what a process killed after each call leaves behind. */
async function killedWhile(work: Promise<unknown>, sim: Simulator, dir: string): Promise<string[]> {
  const left: string[] = [];
  await callWhile(work, sim, () => left.push(asKilledNow(dir)));
  return left;
}

/** Expects that each folder has a sound world with one of the dumps. */
async function expectOneOf(folders: readonly string[], dumps: readonly string[]): Promise<void> {
  for (const dataDir of folders) {
    const again = await createSimulator({ dataDir, engine: 'bankrun' });
    expect(dumps.indexOf(await dumpOf(again))).not.toBe(-1);
    expect(await again.invariants()).toEqual([]);
    await again.close();
  }
}

it('an exclusive call is answered once its own change is durable, before later exclusive calls', async () => {
  // Without waiting for the disk, whose speed is not the claim.
  const sim = await kept(temporaryFolder(), { fsync: 'off' });
  const body = JSON.stringify({ wallet: sim.wallets[0]?.address, amount: 1, token: 'USDC' });
  const headers = { 'content-type': 'application/json' };
  const deposit = () => sim.fetch('/_sim/v1/deposits', { method: 'POST', headers, body });
  const all = Array.from({ length: 100 }, deposit);
  await Promise.race(all);
  const entriesAtTheFirst = sim.books.entries();
  for (const { status } of await Promise.all(all)) expect(status).toBe(200);
  expect(entriesAtTheFirst).toBeLessThan(sim.books.entries() / 2);
});

describe('import into a durable world on bankrun', () => {
  it('completes beside concurrent calls', async () => {
    const state = await richState(true);
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine: 'bankrun' }, QUIET);
    const imported = sim.importState(state);
    await callWhile(imported, sim);
    await imported;
    expect(await sim.agent(0).account()).toMatchObject({ checking: { usdc: 500 } });
  });

  it('is either complete or absent after a kill, beside concurrent calls', async () => {
    const state = await richState(false);
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine: 'bankrun', startTime: '2026-01-01' });
    await agentWith(sim, 1, { usdc: 7 });
    await sim.whenDurable();
    const before = await dumpOf(sim);
    const imported = sim.importState(state);
    const left = await killedWhile(imported, sim, dir);
    await imported;
    await expectOneOf(left, [before, await dumpOf(sim)]);
  });

  it('leaves the world unchanged when the disk fails, beside concurrent calls', async () => {
    const state = await richState(false);
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine: 'bankrun', startTime: '2026-01-01' }, QUIET);
    const agent = await agentWith(sim, 1, { usdc: 7 });
    await agent.account();
    const before = await dumpOf(sim);
    fullDisk('replace');
    const refused = expect(sim.importState(state)).rejects.toThrow();
    await callWhile(refused, sim);
    await refused;
    expect(await sim.invariants()).toEqual([]);
    expect(await dumpOf(sim)).toBe(before);
    await agent.depositSavings({ amount: 1, token: 'USDC' });
    const again = await kept(asKilledNow(dir), { engine: 'bankrun' });
    expect(await dumpOf(again)).toBe(await dumpOf(sim));
  });
});

it('wallet created during a rollback is not created a second time', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const aroundTransfer = () => (isHeld ? held : undefined);
  const sim = await kept(temporaryFolder(), {}, { ...QUIET, aroundTransfer });
  const slow = await agentWith(sim, 0, { usdc: 50 });
  const other = await agentWith(sim, 1, { usdc: 50 });
  await slow.account();
  // The first call loads modules.
  await sim.fetch('/_sim/v1/time');
  isHeld = true;
  const withdrawn = slow.withdraw({ amount: 1, token: 'USDC' }).catch(() => null);
  await sim.whenDurable();
  const spy = fullDisk();
  const saved = other.depositSavings({ amount: 1, token: 'USDC' }).catch(() => null);
  await vi.waitFor(() => expect(spy).toHaveBeenCalled());
  // The rollback waits for the withdrawal to end.
  spy.mockRestore();
  const make = async () => {
    const answer = await sim.fetch('/_sim/v1/wallets', {
      method: 'POST',
      body: JSON.stringify({ SOL: 1 }),
    });
    return { status: answer.status, ...((await answer.json()) as { address?: string }) };
  };
  const first = make();
  for (let at = 0; at < 20; at += 1) await turn();
  isHeld = false;
  release();
  await Promise.all([withdrawn, saved]);
  const [one, two] = [await first, await make()];
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(one.address).not.toBe(two.address);
});

it('a jump is either complete or absent after a kill, beside concurrent calls', async () => {
  const dir = temporaryFolder();
  const sim = await kept(dir, { engine: 'bankrun', variants: { withdrawals: 'queued' } });
  for (let at = 0; at < 4; at += 1) {
    const agent = await agentWith(sim, at, { usdc: 50 });
    for (let more = 0; more < 5; more += 1) {
      await agent.withdraw({ amount: 1, token: 'USDC' });
      await sim.advance('1m');
    }
  }
  await sim.whenDurable();
  const before = await dumpOf(sim);
  const left = await killedWhile(sim.advance('30d'), sim, dir);
  await expectOneOf(left, [before, await dumpOf(sim)]);
});
