// @module-tag slow
import * as kit from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { Connection, Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { KitClient, send, transfer } from './clients.js';
import { secretOf } from './support.js';
import { ENGINES, world } from '../support/world.js';
import { closed } from '../support/waiting.js';

const REVERTS = 10;
const JUMPS = 10;
const LAMPORTS = 1_000_000;
const TIMES = ['frozen', 'real'] as const;

describe.each(ENGINES)('clients that stay connected over reverts on %s', (engine) => {
  it(
    'send the same transactions again with one Connection of @solana/web3.js',
    { timeout: 30_000 },
    async () => {
      const sim = await world({ engine });
      const { url } = await sim.listenRpc();
      const connection = new Connection(url, 'confirmed');
      const payer = Keypair.fromSecretKey(secretOf(sim, 0));
      const to = Keypair.generate().publicKey;
      const pay = (lamports: number) => send(connection, payer, transfer(payer, to, lamports));
      const snapshot = await sim.snapshot();
      for (let round = 0; round < REVERTS; round += 1) {
        await pay(LAMPORTS);
        await pay(LAMPORTS);
        await sim.revert(snapshot);
        // Not signed before: with the blockhash that the connection keeps of the slots undone.
        await pay(LAMPORTS + 1 + round);
        expect(await connection.getBalance(to)).toBe(LAMPORTS + 1 + round);
        await sim.revert(snapshot);
      }
      await closed(connection);
    },
  );

  it('send the same transaction again with @solana/kit, each time with a blockhash never seen before', async () => {
    const sim = await world({ engine });
    const { url, webSocketUrl } = await sim.listenRpc();
    const client = new KitClient(url, webSocketUrl);
    const source = await kit.createKeyPairSignerFromBytes(secretOf(sim, 0));
    const { address: destination } = await kit.generateKeyPairSigner();
    const amount = kit.lamports(BigInt(LAMPORTS));
    const snapshot = await sim.snapshot();
    const seen = new Set<string>();
    for (let round = 0; round < REVERTS; round += 1) {
      const payment = await client.build(source, [
        getTransferSolInstruction({ source, destination, amount }),
      ]);
      seen.add(payment.lifetimeConstraint.blockhash);
      await client.confirmed(payment);
      expect(await client.balance(destination)).toBe(BigInt(LAMPORTS));
      await sim.revert(snapshot);
    }
    expect(seen.size).toBe(REVERTS);
  }, 30_000);
});

describe.each(ENGINES)('clients that stay connected over jumps on %s', (engine) => {
  it.each(TIMES)(
    'pay after each by one Connection of @solana/web3.js, time being %s',
    { timeout: 30_000 },
    async (time) => {
      // The price changes each hour: a jump of 30 days has 720 steps.
      const solUsd = { walk: { start: 150, every: '1h', step: 0.01 } };
      const sim = await world({ engine, time, oracle: { solUsd } });
      const { url } = await sim.listenRpc();
      const connection = new Connection(url, 'confirmed');
      const payer = Keypair.fromSecretKey(secretOf(sim, 0));
      const to = Keypair.generate().publicKey;
      let paid = 0;
      // Each is another transaction, which the connection signs with the blockhash that it keeps.
      const pay = () => {
        paid += 1;
        return send(connection, payer, transfer(payer, to, LAMPORTS + paid));
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
      expect(await connection.getBalance(to)).toBeGreaterThan((JUMPS + 1) * LAMPORTS);
      await sim.advance({ blocks: 200 });
      await expect(pay()).rejects.toThrow('Blockhash not found');
      await closed(connection);
    },
  );

  it('pay by @solana/kit with a blockhash of before the jumps, until its last valid block height', async () => {
    const sim = await world({ engine });
    const client = new KitClient((await sim.listenRpc()).url);
    const { rpc } = client;
    const source = await kit.createKeyPairSignerFromBytes(secretOf(sim, 0));
    const { value: lifetime } = await rpc.getLatestBlockhash().send();
    const pay = async () => {
      const { address: destination } = await kit.generateKeyPairSigner();
      const instruction = getTransferSolInstruction({ source, destination, amount: BigInt(LAMPORTS) });
      const payment = await client.build(source, [instruction], { lifetime });
      const signed = kit.getBase64EncodedWireTransaction(payment);
      return rpc.sendTransaction(signed, { encoding: 'base64' }).send();
    };
    for (let jump = 0; jump < JUMPS; jump += 1) {
      await sim.advance('1d');
      await pay();
    }
    // Each transaction in frozen time has a block of its own, and so has the end of each jump.
    expect(await rpc.getBlockHeight().send()).toBe(BigInt(2 * JUMPS));
    await sim.advance({ blocks: Number(lifetime.lastValidBlockHeight) - 2 * JUMPS - 1 });
    await pay();
    expect(await rpc.getBlockHeight().send()).toBe(lifetime.lastValidBlockHeight);
    await sim.advance({ blocks: 1 });
    await expect(pay()).rejects.toThrow();
  }, 30_000);
});
