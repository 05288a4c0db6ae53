import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, world } from '../../support/world.js';
import { call, result, valueOf } from './support.js';

const SOL = 1_000_000_000;
const AT = (['processed', 'confirmed', 'finalized'] as const).map((commitment) => ({ commitment }));

function balances(sim: Simulator, address: string): Promise<number[]> {
  return Promise.all(AT.map((config) => valueOf<number>(sim, 'getBalance', address, config)));
}

function slots(sim: Simulator): Promise<number[]> {
  return Promise.all(AT.map((config) => result<number>(sim, 'getSlot', config)));
}

async function statusOf(sim: Simulator, signature: string): Promise<unknown> {
  type Status = { confirmationStatus: string; confirmations: number | null };
  const [status] = await valueOf<Status[]>(sim, 'getSignatureStatuses', [signature]);
  return [status?.confirmationStatus, status?.confirmations];
}

/** Lets slots pass in a frozen world, where each transaction has one. */
async function pass(sim: Simulator, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await sim.faucet(AgentWallet.generate().address, 1, 'SOL');
}

describe.each(ENGINES)('commitment on %s', (engine) => {
  it('is finalized immediately by default', async () => {
    const sim = await world({ engine });
    const { address } = AgentWallet.generate();
    const signature = await result<string>(sim, 'requestAirdrop', address, SOL);
    expect(await balances(sim, address)).toEqual([SOL, SOL, SOL]);
    expect(await statusOf(sim, signature)).toEqual(['finalized', null]);
    expect(await slots(sim)).toEqual([1, 1, 1]);
  });

  it('hides balances, statuses, histories and blocks until their slot has the commitment', async () => {
    const sim = await world({ engine, confirmationSlots: [1, 3] });
    const { address } = AgentWallet.generate();
    await pass(sim, 4);
    const signature = await result<string>(sim, 'requestAirdrop', address, SOL);
    expect(await slots(sim)).toEqual([5, 4, 2]);
    expect(await balances(sim, address)).toEqual([SOL, 0, 0]);
    expect(await statusOf(sim, signature)).toEqual(['processed', 0]);
    const confirmed = { commitment: 'confirmed' };
    expect(await result(sim, 'getTransaction', signature, confirmed)).toBeNull();
    expect((await call(sim, 'getBlock', 5, confirmed)).error?.code).toBe(-32_004);

    await pass(sim, 1);
    expect(await balances(sim, address)).toEqual([SOL, SOL, 0]);
    expect(await statusOf(sim, signature)).toEqual(['confirmed', 1]);
    expect(await result(sim, 'getTransaction', signature, confirmed)).toMatchObject({ slot: 5 });
    expect(await result(sim, 'getTransaction', signature)).toBeNull();
    expect(await result(sim, 'getSignaturesForAddress', address)).toEqual([]);

    await pass(sim, 2);
    expect(await balances(sim, address)).toEqual([SOL, SOL, SOL]);
    expect(await statusOf(sim, signature)).toEqual(['finalized', null]);
    expect(await result(sim, 'getSignaturesForAddress', address)).toMatchObject([{ signature, slot: 5 }]);
    const block = await result(sim, 'getBlock', 5, { transactionDetails: 'signatures' });
    expect(block).toMatchObject({ blockHeight: 5, parentSlot: 4, signatures: [signature] });
  });

  it('hides a balance that was written until its slot has the commitment, also before a transaction', async () => {
    const sim = await world({ engine, confirmationSlots: [1, 3] });
    const { address } = AgentWallet.generate();
    await sim.setBalance(address, 2, 'SOL');
    await pass(sim, 4);
    await sim.setBalance(address, 3, 'SOL');
    await result<string>(sim, 'requestAirdrop', address, SOL);
    expect(await balances(sim, address)).toEqual([4 * SOL, 3 * SOL, 2 * SOL]);
  });

  it('gives an older blockhash for finalized, valid to its last block height, while younger ones are not', async () => {
    const sim = await world({ engine, confirmationSlots: [1, 3] });
    await pass(sim, 5);
    type Hash = { blockhash: string; lastValidBlockHeight: number };
    const hash = (commitment: string) => valueOf<Hash>(sim, 'getLatestBlockhash', { commitment });
    const [young, old] = [await hash('processed'), await hash('finalized')];
    expect([young.lastValidBlockHeight, old.lastValidBlockHeight]).toEqual([155, 152]);
    const valid = (blockhash: string, commitment: string) =>
      valueOf<boolean>(sim, 'isBlockhashValid', blockhash, { commitment });
    expect(await valid(young.blockhash, 'processed')).toBe(true);
    expect(await valid(young.blockhash, 'finalized')).toBe(false);
    await sim.advance({ blocks: old.lastValidBlockHeight - 5 });
    expect(await valid(old.blockhash, 'finalized')).toBe(true);
    await sim.advance({ blocks: 1 });
    expect(await valid(old.blockhash, 'finalized')).toBe(false);
  });

  it('rejects a minContextSlot above the slot of the commitment', async () => {
    const sim = await world({ engine, confirmationSlots: 2 });
    await pass(sim, 3);
    const { address } = AgentWallet.generate();
    expect((await call(sim, 'getBalance', address, { minContextSlot: 3 })).error).toEqual({
      code: -32_016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: 1 },
    });
    expect(await valueOf(sim, 'getBalance', address, { minContextSlot: 3, commitment: 'processed' })).toBe(0);
  });
});

describe('slots', () => {
  it('agree with block times, performance samples and epochs', async () => {
    const sim = await world({ startTime: '2026-01-01T00:00:00Z' });
    await pass(sim, 3);
    await sim.advance({ blocks: 9_000 });
    await pass(sim, 2);
    const slot = await result<number>(sim, 'getSlot');
    expect(slot).toBe(3_600_000 / 400 + 5);
    const startSeconds = Date.UTC(2026, 0, 1) / 1_000;
    expect(await result(sim, 'getBlockTime', 3)).toBe(startSeconds);
    expect(await result(sim, 'getBlockTime', slot)).toBe(startSeconds + 3_600);
    const middle = await result<number>(sim, 'getBlockTime', 4_500);
    expect(middle).toBeGreaterThan(startSeconds + 1_795);
    expect(middle).toBeLessThan(startSeconds + 1_805);
    const samples = await result<object[]>(sim, 'getRecentPerformanceSamples', 720);
    expect(samples).toHaveLength(60);
    expect(samples.at(-1)).toMatchObject({ slot: 149, numTransactions: 3, numSlots: 150 });
    expect(await result(sim, 'getEpochInfo')).toMatchObject({
      absoluteSlot: slot,
      blockHeight: slot,
      epoch: 0,
      slotIndex: slot,
      transactionCount: 5,
    });
    expect((await result<number[]>(sim, 'getBlocks', 1, 5)).length).toBe(5);
    await sim.advance('30d');
    const epoch = Math.floor((slot + 6_480_000) / 432_000);
    expect(await result(sim, 'getEpochInfo')).toMatchObject({ epoch });
    expect((await call(sim, 'getBlocks', 0)).error?.code).toBe(-32_602);
  });

  it.each(ENGINES)('that a jump passes have no block, but for the last one, on %s', async (engine) => {
    const sim = await world({ engine, startTime: '2026-01-01T00:00:00Z', confirmationSlots: 2 });
    await pass(sim, 3);
    await sim.advance('30d');
    await sim.advance('1h');
    await pass(sim, 1);
    const startSeconds = Date.UTC(2026, 0, 1) / 1_000;
    const blocks = [0, 1, 2, 3, 6_480_003, 6_489_003, 6_489_004];
    const commitment = { commitment: 'confirmed' };
    expect(await result(sim, 'getSlot', { commitment: 'processed' })).toBe(blocks.at(-1));
    expect(await result(sim, 'getEpochInfo', { commitment: 'processed' })).toMatchObject({
      absoluteSlot: 6_489_004,
      blockHeight: 6,
      epoch: 15,
    });
    // Two slots before the last one there is no block.
    expect(await result(sim, 'getSlot', commitment)).toBe(6_480_003);
    expect(await result(sim, 'getBlockHeight', commitment)).toBe(4);
    expect(await result(sim, 'getBlocks', 6_000_000, 6_490_000, commitment)).toEqual([6_480_003]);
    expect(await result(sim, 'getBlocksWithLimit', 4, 9, commitment)).toEqual([6_480_003]);
    const block = await result<Record<string, unknown>>(sim, 'getBlock', 6_480_003, commitment);
    const before = await result<Record<string, unknown>>(sim, 'getBlock', 3, commitment);
    expect(block).toMatchObject({
      blockHeight: 4,
      blockTime: startSeconds + 30 * 86_400,
      parentSlot: 3,
      previousBlockhash: before['blockhash'],
    });
    expect(before).toMatchObject({ blockHeight: 3, blockTime: startSeconds });
    for (const method of ['getBlock', 'getBlockTime'])
      expect((await call(sim, method, 4_500)).error).toMatchObject({ code: -32_007 });
    const file = await sim.exportState();
    const other = await world({ engine, state: file });
    expect(await result(other, 'getBlocks', 6_000_000, 6_490_000, commitment)).toEqual([6_480_003]);
    expect(await result(other, 'getLatestBlockhash', commitment)).toMatchObject({
      value: { lastValidBlockHeight: 154 },
    });
  });

  it('do not pass faster when the world runs at a thousandfold speed', async () => {
    const sim = await world({ time: '1000x' });
    const { blockhash } = sim.chain.latestBlockhash();
    const [from, fromRealMs] = [sim.now().getTime(), performance.now()];
    while (sim.now().getTime() < from + 60_000) await new Promise((resolve) => setImmediate(resolve));
    expect(await valueOf(sim, 'isBlockhashValid', blockhash)).toBe(true);
    expect(sim.chain.slot()).toBeLessThanOrEqual((performance.now() - fromRealMs) / 400 + 1);
  });
});
