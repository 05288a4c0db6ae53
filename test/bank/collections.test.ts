import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.js';
import { FEE_LAMPORTS, leaveInTreasury } from '../support/thief.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../support/world.js';

const RENT = 890_880n;
const SMALL = { amount: 0.0005, token: 'SOL' } as const;

function feesOf(sim: Simulator): bigint {
  return sim.bank.books.state.totals.network_fees.SOL;
}

/** The signature in the last entry of a kind. */
function lastSignature(sim: Simulator, kind: 'fees.paid' | 'outflow.posted'): string {
  const { facts } = sim.books.page({ kind }).entries[0] ?? expect.fail(`there is no ${kind}`);
  return (facts as { signature: string }).signature;
}

describe.each(ENGINES)('collection addresses on %s', (engine) => {
  it('are given lamports once, by two requests at once too, and only when the sum is too small', async () => {
    const { sim, agent: bob } = await worldWithAgent({ engine });
    await bob.requestPayment({ amount: 0.00089088, token: 'SOL' });
    expect(feesOf(sim)).toBe(0n);
    await Promise.all([1, 2, 3].map(() => bob.requestPayment(SMALL)));
    await bob.requestPayment({ amount: 0.000000001, token: 'SOL' });
    expect(feesOf(sim)).toBe(FEE_LAMPORTS);
    const { collectionAddress } = sim.bank.books.state.agents.get(bob.wallet.address) ?? {};
    expect((await sim.chain.balances(collectionAddress as string)).lamports).toBe(RENT);
  });

  it("do not make the bank's lamports a payment to the agent", async () => {
    const { sim, agent: bob } = await worldWithAgent({ engine });
    await bob.requestPayment(SMALL);
    const tx_signature = lastSignature(sim, 'fees.paid');
    await expect(bob.receive({ tx_signature })).rejects.toMatchObject({
      code: 'transaction_already_recorded',
    });
    await expect(bob.deposit({ amount: 0.00089088, token: 'SOL', tx_signature })).rejects.toMatchObject({
      status: 400,
    });
    expect((await bob.account()).checking.sol).toBe(0);
  });

  it('are requested for when the chain takes no lamports, and given them by the next request', async () => {
    const { sim, agent: bob } = await worldWithAgent({ engine });
    const fault = { endpoint: 'x402Request', when: { nth: 1 } };
    sim.faults.add({ ...fault, effect: 'chain-unavailable', phase: 'chain-submit' });
    const first = await bob.requestPayment(SMALL);
    expect((await sim.chain.balances(first.payment_request.pay_to)).lamports).toBe(0n);
    await bob.requestPayment(SMALL);
    expect((await sim.chain.balances(first.payment_request.pay_to)).lamports).toBe(RENT);
  });

  it('are given lamports once when their arrival is not known at first', async () => {
    const { sim, agent: bob } = await worldWithAgent({ engine });
    const fault = { endpoint: 'x402Request', when: { nth: 1 } };
    sim.faults.add({ ...fault, effect: 'delay-transaction', delay: '20s' });
    const { payment_request: request } = await bob.requestPayment(SMALL);
    await bob.requestPayment(SMALL);
    expect((await sim.chain.balances(request.pay_to)).lamports).toBe(0n);
    expect(await sim.invariants()).toEqual([]);
    const state = await sim.exportState();
    await sim.advance('30s');
    expect(await sim.invariants()).toEqual([]);
    expect((await sim.chain.balances(request.pay_to)).lamports).toBe(RENT);
    expect(sim.books.of(bob.wallet.address)?.collection.SOL).toBe(0.00089088);
    await sim.importState(state);
    await sim.advance('30s');
    expect(await sim.invariants()).toEqual([]);
    expect(sim.books.of(bob.wallet.address)?.collection.SOL).toBe(0.00089088);
  });

  it.each(['SOL', 'USDC'] as const)('are swept once for two withdrawals of %s at once', async (token) => {
    const { sim, agent: alice } = await worldWithAgent({
      sol: 150,
      usdc: 150,
      engine,
      oracle: { solUsd: 1 },
    });
    const bob = await agentWith(sim, 1);
    for (const recipient of [bob.wallet.address, alice.wallet.address])
      await alice.pay({ recipient, amount: 40, token });
    const before = feesOf(sim);
    await leaveInTreasury(sim, token, token === 'SOL' ? 10_000_000_000n : 10_000_000n);
    await Promise.all([20, 20].map((amount) => alice.withdraw({ amount, token })));
    // A signature for each withdrawal, and two for the sweep: of the treasury and of the address.
    expect(feesOf(sim) - before).toBe(4n * FEE_LAMPORTS);
  });

  describe('before their owners are customers', () => {
    /** A bank with the address at which a wallet is paid that has not signed in yet. */
    const withStranger = async (sim: Simulator) => {
      const wallet = sim.wallets[1]?.address ?? '';
      const alice = await agentWith(sim, 0, { sol: 10, usdc: 10 });
      return { alice, wallet, address: sim.bank.addresses.collection(wallet).address };
    };

    it.each(['chain-submit', 'chain-confirm'] as const)(
      'hold what is on its way from the bank, late at %s, and it is booked once',
      async (phase) => {
        const sim = await world({ engine });
        const { alice, address: destination, wallet } = await withStranger(sim);
        sim.faults.add({ endpoint: 'withdraw', effect: 'delay-transaction', phase, delay: '20s' });
        await alice.withdraw({ amount: 1, token: 'USDC', destination });
        const bob = await agentWith(sim, 1);
        expect(await sim.invariants()).toEqual([]);
        await sim.advance('1m');
        expect(sim.books.of(wallet)).toMatchObject({ collection: { USDC: 1 }, uncollected: { USDC: 1 } });
        await bob.receive({ tx_signature: lastSignature(sim, 'outflow.posted') });
        expect((await bob.account()).checking.usdc).toBe(1);
        expect(await sim.invariants()).toEqual([]);
      },
    );

    it('hold what the bank is sending while they become customers, and it is booked once', async () => {
      let during: (() => Promise<void>) | null = null;
      const sim = await world({ engine }, { aroundTransfer: () => during?.() });
      const { alice, address: destination, wallet } = await withStranger(sim);
      for (const at of [1, 2]) {
        const [bob, token] = [sim.agent(at), at === 1 ? 'USDC' : 'SOL'] as const;
        const to = at === 1 ? destination : sim.bank.addresses.collection(bob.wallet.address).address;
        const isOpen = () => sim.bank.books.state.agents.has(bob.wallet.address);
        let pauses = 0;
        during = async () => {
          pauses += 1;
          // The second is after the transaction has run, and before it is booked.
          if (pauses === 2 && !isOpen()) await bob.signIn();
        };
        await alice.withdraw({ amount: 1, token, destination: to });
        during = null;
        expect(isOpen()).toBe(true);
        expect(sim.books.of(bob.wallet.address)).toMatchObject({
          collection: { [token]: 1 },
          uncollected: { [token]: 1 },
        });
        expect(await sim.invariants()).toEqual([]);
      }
      expect(wallet).toBe(sim.agent(1).wallet.address);
    });
  });
});
