import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM } from '../../../src/chain/solana/addresses.js';
import type { Limits } from '../../../src/core/limits.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, world } from '../../support/world.js';
import { Listener, type RpcAnswer, call, rpcMessage } from './support.js';

const SLOT = { method: 'getSlot' };

function times(count: number, one: object): object[] {
  return Array.from({ length: count }, () => one);
}

async function batch(sim: Simulator, calls: readonly object[]): Promise<RpcAnswer[] & RpcAnswer> {
  const text = JSON.stringify(calls.map((one, id) => ({ jsonrpc: '2.0', id, ...one })));
  return JSON.parse(await sim.rpc(text)) as RpcAnswer[] & RpcAnswer;
}

describe.each(ENGINES)('limit of RPC messages on %s', (engine) => {
  const limited = (limits: Partial<Limits>) => world({ engine, limits });

  it('rejects the calls of a batch whose results are too large together, each by its id', async () => {
    const sim = await limited({ rpcResponseBytes: 12_000 });
    await sim.advance({ blocks: 9_000 });
    const last = sim.chain.slot();
    const wide = { method: 'getBlocks', params: [last - 1_500, last] };
    const answers = await batch(sim, [{ method: 'getSlot' }, wide, wide, wide, { method: 'getSlot' }]);
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4]);
    expect(answers.slice(0, 2).every(({ result }) => result !== undefined)).toBe(true);
    for (const { error } of answers.slice(2))
      expect(error).toMatchObject({
        code: -32_603,
        message: expect.stringMatching(/^Response too large.*12000/),
      });
  });

  it('rejects a call whose result alone is too large', async () => {
    const sim = await limited({ rpcResponseBytes: 1_024 });
    const address = sim.wallets[0]?.address;
    const { usdcMint } = sim.facts;
    const many = await call(sim, 'getMultipleAccounts', Array(100).fill(usdcMint), { encoding: 'base64' });
    expect(many.error?.message).toMatch(/^Response too large/);
    const sliced = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
    const few = await call(sim, 'getMultipleAccounts', Array(3).fill(usdcMint), sliced);
    expect(few.error).toBeUndefined();
    expect((await call(sim, 'getBalance', address)).error).toBeUndefined();
  });

  it('ends a batch after a time and reports which calls were not run', async () => {
    const sim = await limited({ rpcBatchMs: 1 });
    const scan = { method: 'getProgramAccounts', params: [TOKEN_PROGRAM, { encoding: 'base64' }] };
    const answers = await batch(sim, times(900, scan));
    expect(answers).toHaveLength(900);
    expect(answers[0]?.error).toBeUndefined();
    expect(answers.at(-1)?.error?.message).toMatch(/^Batch too long: .* 1 ms, so it was not run/);
  });

  it('lets other requests run between the calls of a batch', async () => {
    const sim = await limited({});
    let isDone = false;
    const long = batch(sim, times(500, SLOT)).finally(() => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await call(sim, 'getSlot');
    expect(isDone).toBe(false);
    await long;
  });

  it('closes a WebSocket whose waiting messages are too large together', async () => {
    const sim = await limited({ rpcWaitingBytes: 50_000 });
    const { url } = await sim.listenRpc();
    const { socket } = await Listener.open(url);
    for (let at = 0; at < 100; at += 1) socket.send(rpcMessage('getSlot', 'x'.repeat(5_000)));
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1_008, 'more than 50000 bytes are waiting for a response']);
  });
});
