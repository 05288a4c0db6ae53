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
  const withdraw = (more: object) =>
    caller.post('/agent/account/withdraw', { amount: 5, token: 'USDC', ...more }, { 'idempotency-key': 'k' });
  const { status, body } = await withdraw({ destination: null });
  expect([status, (await withdraw({})).body]).toEqual([200, body]);
  const reason = null as unknown as string;
  const { id } = (await sim.agent(0).applyForLoan({ amount: 100, purpose: 'task' })).application;
  const approved = await controlOf(sim).do('approve', { id, body: { reason } });
  expect(approved).toMatchObject({ decision: 'approved' });
});
