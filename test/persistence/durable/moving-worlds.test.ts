import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WriteAheadFile } from '../../../src/persistence/durable/write-ahead-file.js';
import { createSimulator } from '../../../src/index.js';
import { agentWith, world } from '../../support/world.js';
import { asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const QUIET = { onTrouble: () => undefined };

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

/** Repeats an action until a promise settles. */
async function whileItLasts(work: Promise<unknown>, also: () => Promise<unknown>): Promise<void> {
  while ((await Promise.race([work, turn('under way')])) === 'under way') await also();
}

it('an exclusive call is answered once its own change is durable, before later exclusive calls', async () => {
  const sim = await kept(temporaryFolder());
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
    const sim = await kept(temporaryFolder(), { engine: 'bankrun' }, QUIET);
    const imported = sim.importState(state).then(
      () => 'imported',
      (error: unknown) => String(error),
    );
    await whileItLasts(imported, () => sim.fetch('/nowhere'));
    expect(await imported).toBe('imported');
    expect(await sim.agent(0).account()).toMatchObject({ checking: { usdc: 500 } });
  });

  it('is either complete or absent after a kill, beside concurrent calls', async () => {
    const state = await richState(false);
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine: 'bankrun', startTime: '2026-01-01' });
    await agentWith(sim, 1, { usdc: 7 });
    await sim.whenDurable();
    const before = await sim.dump();
    const left: string[] = [];
    await whileItLasts(
      sim.importState(state).catch(() => undefined),
      async () => {
        await sim.fetch('/nowhere');
        left.push(asKilledNow(dir));
      },
    );
    const after = await sim.dump();
    const seen = new Set<string>();
    for (const copy of left) {
      const again = await createSimulator({ dataDir: copy, engine: 'bankrun' }).catch((error: unknown) =>
        String(error),
      );
      if (typeof again === 'string') {
        seen.add(again.replaceAll(copy, 'FOLDER'));
        continue;
      }
      const dump = await again.dump();
      const violations = await again.invariants();
      await again.close();
      seen.add(
        `${dump === before ? 'before' : dump === after ? 'after' : 'neither'}, ${violations.length} violations`,
      );
    }
    expect(
      [...seen].filter((each) => !['before, 0 violations', 'after, 0 violations'].includes(each)),
    ).toEqual([]);
  });

  it('leaves the world unchanged when the disk fails, beside concurrent calls', async () => {
    const state = await richState(false);
    const dir = temporaryFolder();
    const sim = await kept(dir, { engine: 'bankrun', startTime: '2026-01-01' }, QUIET);
    const agent = await agentWith(sim, 1, { usdc: 7 });
    await agent.account();
    const before = await sim.dump();
    vi.spyOn(WriteAheadFile.prototype, 'replace').mockRejectedValue(
      new Error('ENOSPC: no space left on device'),
    );
    const imported = sim.importState(state).then(
      () => 'imported',
      () => 'refused',
    );
    await whileItLasts(imported, () => sim.fetch('/nowhere'));
    expect(await imported).toBe('refused');
    expect(await sim.invariants()).toEqual([]);
    expect(await sim.dump()).toBe(before);
    await agent.depositSavings({ amount: 1, token: 'USDC' });
    const again = await kept(asKilledNow(dir), { engine: 'bankrun' });
    expect(await again.dump()).toBe(await sim.dump());
  });
});

describe('wallet created during a rollback', () => {
  it('is not created a second time', async () => {
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
    const spy = vi.spyOn(WriteAheadFile.prototype, 'append').mockImplementation(() => {
      throw new Error('ENOSPC: no space left on device');
    });
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
  const before = await sim.dump();
  const left: string[] = [];
  const advanced = sim.advance('30d');
  await whileItLasts(advanced, async () => {
    await sim.fetch('/nowhere');
    left.push(asKilledNow(dir));
  });
  const after = await sim.dump();
  const seen = new Set<string>();
  for (const copy of left) {
    const again = await createSimulator({ dataDir: copy, engine: 'bankrun' });
    const dump = await again.dump();
    const { length } = await again.invariants();
    await again.close();
    seen.add(`${dump === before ? 'before' : dump === after ? 'after' : 'in between'}, ${length} violations`);
  }
  expect(
    [...seen].filter((each) => each !== 'before, 0 violations' && each !== 'after, 0 violations'),
  ).toEqual([]);
});
