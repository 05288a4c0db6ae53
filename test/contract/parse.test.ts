import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseBySchema } from '../../src/contract/parse.js';
import { ControlClient } from '../../src/api/control/client.js';
import { RawCaller, world } from '../support/world.js';

const schema = z.object({
  name: z.string(),
  note: z.string().optional(),
  place: z.object({ x: z.number().optional(), y: z.number() }).optional(),
});

it('null for an optional member is its absence, at any depth', () => {
  expect(parseBySchema(schema, { name: 'a', note: null, place: { x: null, y: 1 } }).data).toEqual({
    name: 'a',
    place: { y: 1 },
  });
  expect(parseBySchema(schema, { name: 'a', place: null }).data).toEqual({ name: 'a' });
  const either = z.union([
    z.strictObject({ by: z.string() }),
    z.strictObject({ to: z.string(), at: z.string().optional() }),
  ]);
  expect(parseBySchema(either, { to: 'b', at: null }).data).toEqual({ to: 'b' });
});

it('null for a required member is rejected at its path, together with other errors', () => {
  const paths = (value: unknown) =>
    parseBySchema(schema, value).error?.issues.map(({ path }) => path.join('.'));
  expect(paths({ name: null, note: null })).toEqual(['name']);
  expect(paths({ name: 'a', note: null, place: { x: 'no', y: null } })).toEqual(['place.x', 'place.y']);
  expect([paths(null), paths([null])]).toEqual([[''], ['']]);
});

it('null is absence in bodies of the API, in the comparison by Idempotency-Key, and in control commands', async () => {
  const sim = await world();
  const agent = sim.agent(0);
  await agent.signIn();
  await agent.fund(100, 'USDC');
  const caller = await RawCaller.signedIn(sim, 0);
  const key = { 'idempotency-key': 'k' };
  const path = '/agent/account/withdraw';
  const first = await caller.post(path, { amount: 5, token: 'USDC', destination: null }, key);
  expect(first.status).toBe(200);
  const again = await caller.post(path, { amount: 5, token: 'USDC' }, key);
  expect(again.body).toEqual(first.body);
  const pay = {
    recipient: agent.wallet.address,
    amount: 1,
    token: 'USDC',
    memo: null,
    payment_request: null,
  };
  const paid = await caller.post('/agent/account/x402/pay', { ...pay, service_url: null });
  expect(paid.body).toMatchObject({ success: true, receipt: { memo: null, service_url: null } });
  const receive = { tx_signature: paid.body['tx_signature'], expected_amount: null, expected_token: null };
  expect((await caller.post('/agent/account/x402/receive', receive)).body).toMatchObject({ amount: 1 });
  const loan = { amount: 100, purpose: 'task', duration: null, collateral: { type: null, amount: null } };
  const applied = await caller.post('/agent/loans', loan);
  expect(applied.body).toMatchObject({ application: { terms: { duration: 30 } } });
  expect((await caller.post('/agent/loans', { ...loan, collateral: null })).status).toBe(200);
  expect((await caller.post(path, { amount: null, token: 'USDC' })).body.code).toBe('invalid_amount');
  expect((await caller.post(path, { amount: 5, token: null })).body.details).toMatchObject({
    issues: [{ path: 'body.token' }],
  });
  const control = new ControlClient({
    origin: 'http://sim.local',
    fetch: (url, init) => sim.fetch(url, init),
  });
  const { reviews } = await control.do('reviews');
  const approved = await sim.fetch(`/_sim/v1/reviews/${reviews[0]?.loanId}/approve`, {
    method: 'POST',
    body: JSON.stringify({ reason: null }),
  });
  expect(await approved.json()).toMatchObject({ decision: 'approved' });
});
