import * as web3 from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { COMPUTE_BUDGET_PROGRAM, SYSVARS } from '../../../src/chain/solana/addresses.js';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../../src/chain/solana/wire.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, world } from '../../support/world.js';
import { call, result, valueOf } from './support.js';

const EPOCH_SLOTS = 432_000;
const WIDE = 2n ** 64n - 1n;

/** One of getRecentPrioritizationFees. */
interface Fee {
  readonly slot: number;
  readonly prioritizationFee: number;
}

/** The data of a sysvar. */
async function sysvar(sim: Simulator, address: string): Promise<Buffer> {
  const { data } = await valueOf<{ data: [string] }>(sim, 'getAccountInfo', address, { encoding: 'base64' });
  return Buffer.from(data[0], 'base64');
}

/** Expects a call to be refused for its parameters with such a text. */
async function refused(sim: Simulator, text: string, method: string, ...params: unknown[]): Promise<void> {
  const { error } = await call(sim, method, ...params);
  expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining(text) as string });
}

const aKey = () => web3.Keypair.generate().publicKey.toBase58();

/** The answer to a message as text, since its numbers may be wider than a double. */
function ask(sim: Simulator, method: string, params: string, id = '1'): Promise<string> {
  return sim.rpc(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
}

describe.each(ENGINES)('RPC cluster information on %s', (engine) => {
  it('agrees with the sysvars of epochs and rent', async () => {
    const sim = await world({ engine });
    const schedule = await result(sim, 'getEpochSchedule');
    const slots = { slotsPerEpoch: EPOCH_SLOTS, leaderScheduleSlotOffset: EPOCH_SLOTS };
    expect(schedule).toEqual({ ...slots, warmup: false, firstNormalEpoch: 0, firstNormalSlot: 0 });
    const stored = await sysvar(sim, SYSVARS.epochSchedule);
    const u64 = (at: number) => Number(stored.readBigUInt64LE(at));
    expect({
      slotsPerEpoch: u64(0),
      leaderScheduleSlotOffset: u64(8),
      warmup: stored[16] === 1,
      firstNormalEpoch: u64(17),
      firstNormalSlot: u64(25),
    }).toEqual(schedule);
    await sim.advance('3d');
    const info = await result<{ absoluteSlot: number; epoch: number }>(sim, 'getEpochInfo');
    expect(info.epoch).toBe(1);
    const clock = await sysvar(sim, SYSVARS.clock);
    const now = { slot: Number(clock.readBigUInt64LE(0)), epoch: Number(clock.readBigUInt64LE(16)) };
    expect(now).toEqual({ slot: info.absoluteSlot, epoch: info.epoch });
    const rent = await sysvar(sim, SYSVARS.rent);
    const lamportsPerByte = Number(rent.readBigUInt64LE(0)) * rent.readDoubleLE(8);
    for (const bytes of [0, 165]) {
      const least = (128 + bytes) * lamportsPerByte;
      expect(await result(sim, 'getMinimumBalanceForRentExemption', bytes)).toBe(least);
    }
  });

  it('tapers inflation as the governor states', async () => {
    const sim = await world({ engine });
    const governor = { initial: 0.08, terminal: 0.015, taper: 0.15, foundation: 0, foundationTerm: 0 };
    expect(await result(sim, 'getInflationGovernor')).toEqual(governor);
    const first = { total: 0.08, validator: 0.08, foundation: 0, epoch: 0 };
    expect(await result(sim, 'getInflationRate')).toEqual(first);
    await sim.advance('366d');
    const later = await result<{ total: number; epoch: number }>(sim, 'getInflationRate');
    expect(later.epoch).toBe(183);
    expect(later.total).toBeCloseTo(0.08 * 0.85, 3);
  });

  it('has rewards only for epochs that have ended', async () => {
    const sim = await world({ engine });
    const { address } = sim.wallets[0] as { address: string };
    const missing = (slot: number) => ({ code: -32_004, message: `Block not available for slot ${slot}` });
    expect((await call(sim, 'getInflationReward', [address])).error).toEqual(missing(EPOCH_SLOTS));
    await sim.advance('3d');
    expect(await result(sim, 'getInflationReward', [address, address])).toEqual([null, null]);
    expect(await result(sim, 'getInflationReward', [address], { epoch: 0 })).toEqual([null]);
    const current = await call(sim, 'getInflationReward', [address], { epoch: 1 });
    expect(current.error).toEqual(missing(2 * EPOCH_SLOTS));
    const processed = await call(sim, 'getInflationReward', [address], { commitment: 'processed' });
    expect(processed.error?.message).toContain('below `confirmed`');
  });

  it('counts the blocks produced in a range and by an identity', async () => {
    const sim = await world({ engine });
    await sim.advance({ blocks: 25 });
    const { identity } = await result<{ identity: string }>(sim, 'getIdentity');
    const other = aKey();
    const production = (config: object) => valueOf(sim, 'getBlockProduction', config);
    const own = (...counts: number[]) => ({ [identity]: counts });
    const whole = { firstSlot: 0, lastSlot: 25 };
    expect(await production({})).toEqual({ byIdentity: own(26, 26), range: whole });
    const range = { firstSlot: 5, lastSlot: 9 };
    expect(await production({ identity, range })).toEqual({ byIdentity: own(5, 5), range });
    expect(await production({ identity: other, range })).toEqual({ byIdentity: {}, range });
    await sim.advance('4s');
    const jumped = { firstSlot: 24, lastSlot: 35 };
    expect(await production({ range: jumped })).toEqual({ byIdentity: own(12, 3), range: jumped });
    for (const [says, config] of [
      ['lastSlot, 4, cannot be less than firstSlot, 5', { range: { firstSlot: 5, lastSlot: 4 } }],
      ['lastSlot, 36, is too large; max 35', { range: { firstSlot: 5, lastSlot: 36 } }],
      ['identity must be a Solana address', { identity: 'x' }],
      ['range needs firstSlot', { range: {} }],
    ] as const)
      await refused(sim, says, 'getBlockProduction', config);
  });

  it('has a leader for every slot of this epoch and the next', async () => {
    const sim = await world({ engine });
    const { identity } = await result<{ identity: string }>(sim, 'getIdentity');
    const schedule = (...params: unknown[]) =>
      result<Record<string, number[]> | null>(sim, 'getLeaderSchedule', ...params);
    for (const params of [[], [null], [EPOCH_SLOTS, { identity }], [{ identity }]]) {
      const slots = (await schedule(...params))?.[identity];
      expect([slots?.length, slots?.[0], slots?.at(-1)]).toEqual([EPOCH_SLOTS, 0, EPOCH_SLOTS - 1]);
    }
    expect(await schedule(null, { identity: aKey() })).toEqual({});
    expect(await schedule(2 * EPOCH_SLOTS)).toBeNull();
    expect((await call(sim, 'getLeaderSchedule', 0, { identity: 'x' })).error?.code).toBe(-32_602);
    expect(await result(sim, 'getSlotLeaders', 2 * EPOCH_SLOTS - 1, 1)).toEqual([identity]);
    expect((await call(sim, 'getSlotLeaders', 2 * EPOCH_SLOTS - 1, 2)).error?.message).toContain(
      'leader schedule for epoch 2 is unavailable',
    );
  });

  it('accepts slots and lamports of 64 bits without losing a digit', async () => {
    const sim = await world({ engine });
    const { address } = sim.wallets[0] as { address: string };
    for (const slot of [9_007_199_254_740_993n, WIDE]) {
      for (const method of ['getBlock', 'getBlockTime'])
        expect(await ask(sim, method, `[${slot}]`)).toContain(`Block not available for slot ${slot}"`);
      const behind = await ask(sim, 'getBalance', `["${address}",{"minContextSlot":${slot}}]`);
      expect(behind).toContain('-32016');
    }
    expect(await ask(sim, 'getBlock', `[${WIDE + 1n}]`)).toContain(
      'whole number from 0 to 18446744073709551615',
    );
    // The number is not touched within text, nor where it is no integer.
    const id = '"\\"9007199254740993"';
    expect(await ask(sim, 'getHealth', '[]', id)).toContain(`"id":${id}`);
    expect(await ask(sim, 'getHealth', '[]', '9007199254740993')).toContain('"id":9007199254740993');
    expect(await ask(sim, 'getBlock', '[1.9007199254740993]')).toContain('-32602');
    const batch = await sim.rpc(
      `[{"jsonrpc":"2.0","id":1,"method":"getSlot"},{"jsonrpc":"2.0","id":2,"method":"getBlock","params":[${WIDE}]}]`,
    );
    expect(batch).toContain(`slot ${WIDE}"`);
  });

  it('has the lowest price of units that was paid in each block, or to write one of some accounts', async () => {
    const wall = { ms: 0 };
    const sim = await world({ engine, time: 'real' }, { wall: () => wall.ms });
    const [first, second] = [AgentWallet.generate(), AgentWallet.generate()];
    for (const { address } of [first, second]) await sim.faucet(address, 1, 'SOL');
    const blockhash = sim.chain.blockhashAt(sim.chain.slot() - 1);
    const nextSlot = () => {
      wall.ms += 400;
      return sim.chain.slot();
    };
    const pay = async (payer: AgentWallet, price: bigint) => {
      const data = Buffer.alloc(9, 3);
      data.writeBigUInt64LE(price, 1);
      const setPrice = { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data };
      const transfer = transferLamports(payer.address, payer.address, price);
      const bytes = buildTransaction(price === 0n ? [transfer] : [setPrice, transfer], [payer], blockhash);
      await sim.chain.sendTransaction(bytes);
    };
    const both = nextSlot();
    await pay(first, 7_000n);
    await pay(first, 5_000n);
    await pay(second, 9_000n);
    const free = nextSlot();
    await pay(first, 0n);
    await pay(second, 8_000n);
    const fees = async (...accounts: string[]) =>
      (await result<Fee[]>(sim, 'getRecentPrioritizationFees', accounts))
        .filter(({ slot }) => slot === both || slot === free)
        .map(({ prioritizationFee }) => prioritizationFee);
    expect(await fees()).toEqual([5_000, 0]);
    expect(await fees(first.address)).toEqual([5_000, 0]);
    expect(await fees(second.address)).toEqual([9_000, 8_000]);
    expect(await fees(first.address, second.address)).toEqual([9_000, 8_000]);
    expect(await fees(AgentWallet.generate().address)).toEqual([5_000, 0]);
    nextSlot();
    const all = await result<Fee[]>(sim, 'getRecentPrioritizationFees');
    expect(all.map(({ slot }) => slot)).toEqual(Array.from({ length: sim.chain.slot() + 1 }, (_, at) => at));
  });

  it('states that the faucet holds what does not circulate', async () => {
    const sim = await world({ engine });
    const { address } = AgentWallet.generate();
    const { signature } = await sim.faucet(address, 1, 'SOL');
    const faucet = sim.chain.getTransaction(signature)?.accountKeys[0] ?? '';
    const supply = await valueOf<{ total: number; circulating: number }>(sim, 'getSupply');
    const held = await valueOf<number>(sim, 'getBalance', faucet);
    expect(supply).toMatchObject({ nonCirculating: held, nonCirculatingAccounts: [faucet] });
    expect(supply.circulating).toBe(supply.total - held);
    const brief = await valueOf(sim, 'getSupply', { excludeNonCirculatingAccountsList: true });
    expect(brief).toEqual({ ...supply, nonCirculatingAccounts: [] });
    const largest = async (filter?: string) => {
      const accounts = await valueOf<{ address: string }[]>(sim, 'getLargestAccounts', { filter });
      return accounts.map((found) => found.address);
    };
    expect(await largest('nonCirculating')).toEqual([faucet]);
    expect(await largest('circulating')).not.toContain(faucet);
    expect(await largest()).toContain(faucet);
  });

  it("refuses methods that Agave 2.0 has removed, as today's clusters do", async () => {
    const sim = await world({ engine });
    for (const method of `getRecentBlockhash getFees getFeeCalculatorForBlockhash getFeeRateGovernor getStakeActivation
      getConfirmedBlock getConfirmedBlocks getConfirmedBlocksWithLimit getConfirmedSignaturesForAddress2
      getConfirmedTransaction getSnapshotSlot`.split(/\s+/))
      expect((await call(sim, method)).error).toEqual({
        code: -32_601,
        message: `Method not found: ${method}`,
      });
  });
});
