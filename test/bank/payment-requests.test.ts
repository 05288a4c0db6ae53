import { describe, expect, it } from 'vitest';
import { type PaymentRequest, encodeHeader } from '../../src/core/domain/payment-request.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../support/world.js';

const ALREADY = { code: 'payment_request_already_paid', status: 400 };

/** Alice, who has 100 USDC, Bob, and a request of Bob's as the body that pays it. */
async function asked(options: SimulatorOptions = {}) {
  const { sim, agent: alice } = await worldWithAgent({ usdc: 100, sol: 2, ...options });
  const bob = await agentWith(sim, 1);
  const { payment_request: request, headers } = await bob.requestPayment({ amount: 5, token: 'USDC' });
  const { recipient, amount, token } = request;
  const body = { recipient, amount, token, payment_request: headers['X-Payment-Request'] as string };
  const id = request.request_id;
  return { sim, alice, bob, request, body, id };
}

describe.each(ENGINES)('a payment request on %s', (engine) => {
  it('is paid by one of several payments at once, and not again after its expiry', async () => {
    const { sim, alice, body } = await asked({ engine });
    const racers = await Promise.allSettled([1, 2, 3].map(() => alice.pay(body)));
    expect(racers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await sim.advance('2h');
    await expect(alice.pay(body)).rejects.toMatchObject(ALREADY);
    expect((await alice.account()).checking.usdc).toBe(95);
  });

  it('is refused while a payment is under way, and free again when that one fails', async () => {
    for (const effect of ['delay-transaction', 'drop-transaction'] as const) {
      const { sim, alice, body, id } = await asked({ engine });
      const delay = effect === 'delay-transaction' ? { delay: '20s', phase: 'chain-submit' as const } : {};
      sim.faults.add({ endpoint: 'x402Pay', effect, ...delay, when: { nth: 1 } });
      await expect(alice.pay(body)).rejects.toMatchObject({ code: 'chain_unavailable' });
      const again = { ...ALREADY, details: { request_id: id, status: 'pending' } };
      await expect(alice.pay(body)).rejects.toMatchObject(again);
      await sim.advance('5m');
      if (effect === 'drop-transaction') await alice.pay(body);
      else await expect(alice.pay(body)).rejects.toMatchObject({ details: { status: 'completed' } });
      expect((await alice.account()).checking.usdc).toBe(95);
      expect(await sim.invariants()).toEqual([]);
    }
  });

  it('is free again after the chain has turned its payment down', async () => {
    const { sim, alice, request } = await asked({ engine });
    const { address } = AgentWallet.generate();
    const small: PaymentRequest = {
      ...request,
      recipient: address,
      pay_to: address,
      amount: 0.0005,
      token: 'SOL',
    };
    const body = { recipient: address, amount: 0.0005, token: 'SOL' } as const;
    const payment = { ...body, payment_request: encodeHeader(small) };
    await expect(alice.pay(payment)).rejects.toMatchObject({
      code: 'transaction_failed',
      details: { chain_error: expect.stringContaining('insufficient funds for rent') },
    });
    await sim.setBalance(address, 1, 'SOL');
    await alice.pay(payment);
    await expect(alice.pay(payment)).rejects.toMatchObject(ALREADY);
    expect((await alice.account()).checking.sol).toBe(1.9995);
  });
});

it('a payment request that is paid once cannot be blocked by payments that only name its id', async () => {
  const { alice, bob, request, body } = await asked();
  await bob.fund(20, 'USDC');
  const { address } = bob.wallet;
  const own = { ...request, recipient: address, amount: 0.000001 };
  await bob.pay({
    recipient: address,
    amount: 0.000001,
    token: 'USDC',
    payment_request: encodeHeader(own),
  });
  await alice.pay(body);
  await expect(alice.pay(body)).rejects.toMatchObject(ALREADY);
});

it('a payment request stays paid in a world from a state file, and is unpaid after a revert to before', async () => {
  const { sim, alice, body } = await asked();
  const unpaid = await sim.snapshot();
  const { payment_id } = await alice.pay(body);
  const other = await world({ state: await sim.exportState() });
  const already = { ...ALREADY, details: { payment_id } };
  await expect((await agentWith(other, 0)).pay(body)).rejects.toMatchObject(already);
  await sim.revert(unpaid);
  await alice.pay(body);
});
