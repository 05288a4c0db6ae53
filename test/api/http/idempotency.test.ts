import { describe, expect, it } from 'vitest';
import type { SimulatorOptions } from '../../../src/runtime/config.js';
import { RawCaller, agentWith, worldWithAgent } from '../../support/world.js';

const PATH = '/agent/account/x402/pay';
const KEY = { 'idempotency-key': 'order-1' };

async function scene(options: SimulatorOptions = {}) {
  const { sim, agent } = await worldWithAgent({ usdc: 100, ...options });
  const caller = await RawCaller.signedIn(sim, 0);
  const body = { recipient: sim.wallets[2]?.address, amount: 10, token: 'USDC' };
  return { sim, agent, caller, body };
}

describe('Idempotency-Key', () => {
  it('returns the first response to a repeated call and pays once', async () => {
    const { agent, caller, body } = await scene();
    const first = await caller.post(PATH, body, KEY);
    const second = await caller.post(PATH, { ...body, ignored: 'member' }, KEY);
    expect(second.body).toEqual(first.body);
    expect((await agent.account()).checking.usdc).toBe(90);
  });

  it('pays once for concurrent calls', async () => {
    const { agent, caller, body } = await scene();
    const answers = await Promise.all([1, 2, 3].map(() => caller.post(PATH, body, KEY)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect((await agent.account()).checking.usdc).toBe(90);
  });

  it('belongs to one wallet, one operation and one body', async () => {
    const { sim, caller, body } = await scene();
    await caller.post(PATH, body, KEY);
    expect((await caller.post(PATH, { ...body, amount: 11 }, KEY)).body.code).toBe('idempotency_key_reused');
    const withdraw = { amount: 10, token: 'USDC' };
    expect((await caller.post('/agent/account/withdraw', withdraw, KEY)).body.code).toBe(
      'idempotency_key_reused',
    );
    await agentWith(sim, 1, { usdc: 50 });
    const other = await RawCaller.signedIn(sim, 1);
    expect((await other.post(PATH, body, KEY)).status).toBe(200);
  });

  it('allows a refused call to be repeated', async () => {
    const { agent, caller, body } = await scene();
    expect((await caller.post(PATH, { ...body, amount: 500 }, KEY)).body.code).toBe('insufficient_balance');
    await agent.fund(500, 'USDC');
    expect((await caller.post(PATH, { ...body, amount: 500 }, KEY)).status).toBe(200);
  });

  it('expires after 24 hours', async () => {
    const { sim, agent, caller, body } = await scene();
    await caller.post(PATH, body, KEY);
    await sim.advance('24h');
    const later = await RawCaller.signedIn(sim, 0);
    expect((await later.post(PATH, { ...body, amount: 20 }, KEY)).status).toBe(200);
    expect((await agent.account()).checking.usdc).toBe(70);
  });

  it('leaves the error code of an infinite amount unchanged', async () => {
    const { caller } = await scene();
    for (const path of ['/agent/account/withdraw', PATH, '/agent/account/savings/deposit', '/agent/loans'])
      for (const amount of ['1e309', '-1e309']) {
        const text = `{"amount":${amount},"token":"USDC","recipient":"${caller.sim.wallets[2]?.address}","purpose":"task"}`;
        const plain = await caller.post(path, text);
        const keyed = await caller.post(path, text, KEY);
        expect(plain.status).toBe(400);
        expect([keyed.status, keyed.body.code], `${path} ${amount}`).toEqual([400, plain.body.code]);
      }
  });

  it('is refused above the limit of keys, except for repeats, until keys expire', async () => {
    const { sim, agent, caller } = await scene({ limits: { idempotencyKeys: 2 } });
    const body = { amount: 1, token: 'USDC' };
    const save = (key: string) =>
      caller.post('/agent/account/savings/deposit', body, { 'idempotency-key': key });
    const answers = await Promise.all(['a', 'b', 'c'].map(save));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(answers[2]?.body).toMatchObject({ code: 'idempotency_keys_full', details: { max_keys: 2 } });
    expect((await save('a')).body).toEqual(answers[0]?.body);
    expect((await agent.account()).savings.usdc).toBe(2);
    await sim.advance('24h');
    const later = await RawCaller.signedIn(sim, 0);
    const again = await later.post('/agent/account/savings/deposit', body, { 'idempotency-key': 'c' });
    expect(again.status).toBe(200);
    await sim.advance('24h');
    // All keys have expired, and two are free, not one for each call.
    const last = await RawCaller.signedIn(sim, 0);
    const send = (key: string) => last.post('/agent/account/withdraw', body, { 'idempotency-key': key });
    const sent = await Promise.all(['d', 'e', 'f'].map(send));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  it('is rejected when empty or longer than 255 characters', async () => {
    const { caller, body } = await scene();
    for (const key of ['', 'x'.repeat(256)]) {
      expect((await caller.post(PATH, body, { 'idempotency-key': key })).body.code).toBe('invalid_request');
    }
  });
});
