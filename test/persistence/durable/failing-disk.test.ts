import { afterEach, describe, expect, it, vi } from 'vitest';
import { WriteAheadFile } from '../../../src/persistence/durable/write-ahead-file.js';
import type { SimulatorOptions } from '../../../src/index.js';
import { RequestPipeline } from '../../../src/api/pipeline/pipeline.js';
import { Faults } from '../../../src/runtime/faults/fault-rules.js';
import { FacilitatorRoute } from '../../../src/simulator/facilitator-route.js';
import { KeyRing } from '../../../src/world/keys.js';
import { agentWith } from '../../support/world.js';
import { QUIET, fullDisk, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A world in a folder, an agent with 50 USDC who has signed in, and what wakes a call that a fault delays. */
async function opened(options: SimulatorOptions = {}) {
  let wake: () => void = () => undefined;
  const wait = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const sim = await kept(temporaryFolder(), options, { ...QUIET, wait });
  const agent = await agentWith(sim, 0, { usdc: 50 });
  await agent.account();
  return { sim, agent, wake: () => wake() };
}

describe('on a disk that fails', () => {
  it('a call delayed by a fault does not succeed when its write is rolled back meanwhile', async () => {
    const { sim, agent: slow, wake } = await opened({ time: 'real' });
    const other = await agentWith(sim, 1, { usdc: 50 });
    await other.account();
    sim.faults.add({
      endpoint: 'savingsDeposit',
      effect: 'delay',
      delay: '5s',
      phase: 'after-commit',
      when: { wallet: slow.wallet.address },
    });
    await sim.whenDurable();
    const before = sim.books.entries();
    const answer = slow.depositSavings({ amount: 10, token: 'USDC' }).then(
      () => 'success',
      (error: unknown) => String(error),
    );
    // It has been carried out and waits before its response.
    await vi.waitFor(() => expect(sim.books.entries()).toBe(before + 1));
    const disk = fullDisk();
    await expect(other.depositSavings({ amount: 1, token: 'USDC' })).rejects.toThrow();
    disk.mockRestore();
    wake();
    const told = await answer;
    sim.faults.clear();
    const { savings } = await slow.account();
    expect({ told, saved: savings.usdc }).not.toEqual({ told: 'success', saved: 0 });
  });

  it('reads succeed while a due event cannot be written', async () => {
    const sim = await kept(
      temporaryFolder(),
      { time: 'real', variants: { withdrawals: 'queued' }, withdrawalDelay: '1m' },
      { ...QUIET, wall: () => Date.now() },
    );
    const agent = await agentWith(sim, 0, { usdc: 50 });
    await agent.withdraw({ amount: 10, token: 'USDC' });
    const disk = fullDisk();
    const laterMs = Date.now() + 3_600_000;
    vi.spyOn(Date, 'now').mockImplementation(() => laterMs);
    const account = await agent.account().catch((error: unknown) => String(error));
    disk.mockRestore();
    expect(account).toMatchObject({ checking: { usdc: 40 } });
  });

  it('reads succeed while a fault counts calls', async () => {
    const { sim, agent } = await opened();
    sim.faults.add({ endpoint: '*', effect: 'replace-response', status: 503, when: { nth: 1_000 } });
    await sim.whenDurable();
    fullDisk();
    const account = await agent.account().catch((error: unknown) => String(error));
    expect(account).toMatchObject({ checking: { usdc: 50 } });
  });

  it('a repeated read gets the response that a fault sets', async () => {
    const { sim, agent } = await opened();
    sim.faults.add({
      endpoint: 'account',
      effect: 'replace-response',
      status: 503,
      code: 'busy',
      phase: 'after-commit',
    });
    await sim.whenDurable();
    fullDisk();
    await expect(agent.account()).rejects.toMatchObject({ status: 503, code: 'busy' });
  });

  it('a read delayed by a fault is repeated after the rollback of what it read', async () => {
    const { sim, agent, wake } = await opened({ time: 'real' });
    sim.faults.add({ endpoint: 'account', effect: 'delay', delay: '5s', phase: 'after-commit' });
    await sim.whenDurable();
    const reading = agent.account().catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(sim.faults.list()).toMatchObject([{ fired: 1 }]));
    const disk = fullDisk();
    await expect(agent.depositSavings({ amount: 1, token: 'USDC' })).rejects.toThrow();
    disk.mockRestore();
    wake();
    expect(await reading).toMatchObject({ checking: { usdc: 50 } });
  });

  it('the RPC reports a rolled-back transaction although a fault would lose the response', async () => {
    const sim = await kept(temporaryFolder(), {}, QUIET);
    await sim.rpc('{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
    sim.faults.add({ rpc: 'requestAirdrop', effect: 'lose-response' });
    await sim.whenDurable();
    fullDisk();
    const params = [sim.wallets[0]?.address, 1_000];
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params });
    expect(await sim.rpc(message)).toContain('storage_unavailable');
  });

  it('the event log and explanations say what a rollback has undone', async () => {
    const { sim, agent } = await opened();
    const disk = fullDisk();
    const lost = await agent.withdraw({ amount: 20, token: 'USDC' }).catch((error: unknown) => error);
    disk.mockRestore();
    const { requestId } = lost as { requestId: string };
    const text = sim.explain(requestId)?.text ?? '';
    expect(text).toMatch(
      /What was rolled back[^\n]*:\n- Entry \d+, outflow\.pending[^]*\nNothing was changed\.$/,
    );
    expect(text).not.toContain('What it did');
    await agent.withdraw({ amount: 20, token: 'USDC' });
    const { events } = sim.events.page({ after: 0, limit: 100 });
    const repeat = sim.explain(events.at(-1)?.requestId ?? '')?.text;
    expect(repeat).toMatch(/What it did:\n- Entry \d+, outflow\.pending/);
    expect(repeat).not.toContain('rolled back');
    const rollbacks = events.filter(({ body }) => body.kind === 'world' && body.what === 'rolled_back');
    expect(rollbacks).toHaveLength(1);
  });

  it('a recording ends with the rollback of what it has recorded', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const { sim, agent } = await opened();
    await sim.recording.start();
    await agent.withdraw({ amount: 1, token: 'USDC' });
    const disk = fullDisk();
    await expect(agent.withdraw({ amount: 20, token: 'USDC' })).rejects.toThrow();
    disk.mockRestore();
    await agent.withdraw({ amount: 2, token: 'USDC' });
    expect(said.mock.calls[0]?.[0]).toContain('the world was rolled back');
    const text = String(await sim.recording.stop());
    expect(text).not.toContain('"amount":2,');
    expect(text.trimEnd().split('\n').at(-1)).toContain('which a recording cannot represent');
  });

  it('reads of the control interface succeed beside a failing write', async () => {
    const { sim, agent } = await opened();
    let fail: () => void = () => undefined;
    const append = vi.spyOn(WriteAheadFile.prototype, 'append').mockImplementation(
      () =>
        new Promise((_resolve, reject) => {
          fail = () => reject(new Error('ENOSPC: no space left on device'));
        }),
    );
    const write = agent.depositSavings({ amount: 1, token: 'USDC' }).catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(append).toHaveBeenCalled());
    const reading = sim.fetch('/_sim/v1/journal');
    fail();
    const read = await reading;
    expect(await write).toMatch(/cannot write/);
    expect(read.status).toBe(200);
  });
});

it('the facilitator reports storage_unavailable when a rollback happens during a settlement', async () => {
  const scheduler = {
    runShared: <T>(work: () => T) => work(),
    runWithoutCatchUp: <T>(work: () => T) => work(),
    earn: () => null,
    sleep: () => Promise.resolve(),
    rollbackCount: 0,
  };
  const door = new FacilitatorRoute({
    get chain() {
      scheduler.rollbackCount += 1;
      return null;
    },
    key: new KeyRing('door').derive('facilitator'),
    mount: '',
    scheduler,
    pipeline: new RequestPipeline({
      keepsAnswers: false,
      scheduler,
      faults: new Faults('door'),
      recorder: { on: null },
      whenDurable: () => null,
      remember: () => undefined,
      onAnswer: () => undefined,
      onBug: () => undefined,
    }),
  });
  const answer = await door.answer(new Request('http://sim.local/facilitator/settle', { method: 'POST' }));
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: 'storage_unavailable' });
});
