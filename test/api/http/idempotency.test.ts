import { expect, it } from 'vitest';
import { RawCaller, world } from '../../support/world.js';

it('an Idempotency-Key leaves the error code of an infinite amount unchanged', async () => {
  const sim = await world();
  const caller = await RawCaller.signedIn(sim, 0);
  const recipient = sim.wallets[2]?.address;
  for (const operation of ['account/withdraw', 'account/x402/pay', 'account/savings/deposit', 'loans'])
    for (const amount of ['1e309', '-1e309']) {
      const text = `{"amount":${amount},"token":"USDC","recipient":"${recipient}","purpose":"task"}`;
      const plain = await caller.post(`/agent/${operation}`, text);
      const keyed = await caller.post(`/agent/${operation}`, text, { 'idempotency-key': 'order-1' });
      expect(plain.status).toBe(400);
      expect([keyed.status, keyed.body.code], `${operation} ${amount}`).toEqual([400, plain.body.code]);
    }
});
