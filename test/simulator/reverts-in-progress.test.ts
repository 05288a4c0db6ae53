import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { agentWith, world } from '../support/world.js';

/** A running world whose delayed calls wait until `wake` is called. */
async function waitingWorld() {
  let wake: (() => void) | null = null;
  const wait = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const sim = await world({ time: 'real' }, { wait });
  const agent = await agentWith(sim, 0, { usdc: 100 });
  const waiting = () => vi.waitFor(() => expect(wake).not.toBeNull());
  return { sim, agent, waiting, wake: () => wake?.() };
}

type Replace = (sim: Simulator) => Promise<() => Promise<void>>;

const reverts: Replace = async (sim) => {
  const id = await sim.snapshot();
  return () => sim.revert(id);
};
const imports: Replace = async (sim) => {
  const state = await sim.exportState();
  return () => sim.importState(state);
};

describe.each([
  ['a revert', reverts],
  ['an import', imports],
])('%s aborts a call that a fault delays', (_name, replacing) => {
  it.each(['before', 'after-commit'] as const)('in the phase %s', async (phase) => {
    const { sim, agent, waiting, wake } = await waitingWorld();
    const replace = await replacing(sim);
    sim.faults.add({ endpoint: 'withdraw', effect: 'delay', phase, delay: '1m' });
    const withdrawal = agent.withdraw({ amount: 60, token: 'USDC' }, { idempotencyKey: 'one' });
    const refused = expect(withdrawal).rejects.toMatchObject({ status: 500, code: 'storage_unavailable' });
    await waiting();
    await replace();
    wake();
    await refused;
    expect((await agent.account()).checking.usdc).toBe(100);
    await agent.withdraw({ amount: 60, token: 'USDC' }, { idempotencyKey: 'one' });
    expect((await agent.account()).checking.usdc).toBe(40);
    expect(await sim.invariants()).toEqual([]);
  });

  it('but repeats a read, which then sees the restored world', async () => {
    const { sim, agent, waiting, wake } = await waitingWorld();
    const replace = await replacing(sim);
    await agent.withdraw({ amount: 60, token: 'USDC' });
    sim.faults.add({ endpoint: 'account', effect: 'delay', phase: 'after-commit', delay: '1m' });
    const account = agent.account();
    await waiting();
    await replace();
    wake();
    expect(await account).toMatchObject({ checking: { usdc: 100 } });
  });
});

it('a transaction that waits to land at a node does not run in the world of a revert meanwhile', async () => {
  const sim = await world({ time: 'real', landingDelay: '1s' });
  const { url, webSocketUrl } = await sim.listenRpc({ port: 0 });
  const connection = new Connection(url, { wsEndpoint: webSocketUrl, commitment: 'confirmed' });
  const from = Keypair.fromSecretKey(bs58.decode(sim.wallets[0]?.secretKey ?? ''));
  const to = new PublicKey(sim.facts.treasury);
  const id = await sim.snapshot();
  const sent = new Transaction({ feePayer: from.publicKey, ...(await connection.getLatestBlockhash()) });
  sent.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: 5e9 })).sign(from);
  let land = null as (() => void) | null;
  const timer = vi.spyOn(timers, 'setTimeout').mockImplementation(
    (_ms, value) =>
      new Promise((resolve) => {
        land = () => resolve(value);
      }),
  );
  syncBuiltinESMExports();
  onTestFinished(() => {
    timer.mockRestore();
    syncBuiltinESMExports();
  });
  const before = await connection.getBalance(from.publicKey);
  const landing = expect(connection.sendRawTransaction(sent.serialize())).rejects.toThrow('was reverted');
  await vi.waitFor(() => expect(land).not.toBeNull());
  await sim.revert(id);
  land?.();
  await landing;
  expect(await connection.getBalance(from.publicKey)).toBe(before);
});
