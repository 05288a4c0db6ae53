import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseBySchema } from '../../src/contract/parse.js';
import { RawCaller, agentWith, controlOf, world } from '../support/world.js';

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

// Each endpoint accepts null for each optional member: test/contract/openapi.test.ts.
it('null is absence in the comparison by Idempotency-Key, and in control commands', async () => {
  const sim = await world();
  await agentWith(sim, 0, { usdc: 100 });
  const caller = await RawCaller.signedIn(sim, 0);
  const key = { 'idempotency-key': 'k' };
  const path = '/agent/account/withdraw';
  const first = await caller.post(path, { amount: 5, token: 'USDC', destination: null }, key);
  expect(first.status).toBe(200);
  expect((await caller.post(path, { amount: 5, token: 'USDC' }, key)).body).toEqual(first.body);
  expect((await caller.post(path, { amount: null, token: 'USDC' })).body.code).toBe('invalid_amount');
  const { body } = await caller.post('/agent/loans', { amount: 100, purpose: 'task' });
  const { id } = body['application'] as { id: string };
  const reason = null as unknown as string;
  expect(await controlOf(sim).do('approve', { id, body: { reason } })).toMatchObject({
    decision: 'approved',
  });
});
