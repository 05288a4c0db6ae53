// @module-tag slow
import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.js';
import { connected, send, transfer } from './clients.js';
import { secretOf } from './support.js';
import { ENGINES, world } from '../support/world.js';

const REVERTS = 10;
const JUMPS = 10;
const LAMPORTS = 1_000_000;
const TIMES = ['frozen', 'real'] as const;

/** Pays from a dev wallet to one address by one connection of @solana/web3.js. */
async function payerOf(sim: Simulator) {
  const connection = connected((await sim.listenRpc()).url);
  const payer = Keypair.fromSecretKey(secretOf(sim, 0));
  const to = Keypair.generate().publicKey;
  return {
    pay: (lamports: number) => send(connection, payer, transfer(payer, to, lamports)),
    received: () => connection.getBalance(to),
  };
}

describe.each(ENGINES)('clients that stay connected over reverts on %s', (engine) => {
  it(
    'send the same transactions again with one Connection of @solana/web3.js',
    { timeout: 30_000 },
    async () => {
      const sim = await world({ engine });
      const { pay, received } = await payerOf(sim);
      const snapshot = await sim.snapshot();
      for (let round = 0; round < REVERTS; round += 1) {
        await pay(LAMPORTS);
        await pay(LAMPORTS);
        await sim.revert(snapshot);
        // Not signed before: with the blockhash that the connection keeps of the slots undone.
        await pay(LAMPORTS + 1 + round);
        expect(await received()).toBe(LAMPORTS + 1 + round);
        await sim.revert(snapshot);
      }
    },
  );
});

describe.each(ENGINES)('clients that stay connected over jumps on %s', (engine) => {
  it.each(TIMES)(
    'pay after each by one Connection of @solana/web3.js, time being %s',
    { timeout: 30_000 },
    async (time) => {
      // The price changes each hour: a jump of 30 days has 720 steps.
      const solUsd = { walk: { start: 150, every: '1h', step: 0.01 } };
      const sim = await world({ engine, time, oracle: { solUsd } });
      const client = await payerOf(sim);
      let paid = 0;
      // Each is another transaction, which the connection signs with the blockhash that it keeps.
      const pay = () => {
        paid += 1;
        return client.pay(LAMPORTS + paid);
      };
      await pay();
      for (let jump = 0; jump < JUMPS; jump += 1) {
        await sim.advance('30d');
        await pay();
      }
      // What a test's clean-up undoes together with its jumps.
      const snapshot = await sim.snapshot();
      for (let round = 0; round < REVERTS; round += 1) {
        await sim.advance('30d');
        await pay();
        await sim.revert(snapshot);
      }
      expect(await client.received()).toBeGreaterThan((JUMPS + 1) * LAMPORTS);
      await sim.advance({ blocks: 200 });
      await expect(pay()).rejects.toThrow('Blockhash not found');
    },
  );
});
