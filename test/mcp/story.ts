import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { tell } from './support.js';

/** Calls a tool that must succeed. */
export async function done(client: Client, name: string, args: Record<string, unknown> = {}) {
  const told = await tell(client, name, args);
  expect(told.isError, `${name}: ${told.text}`).toBe(false);
  return told.content;
}

/** Plays a whole story of an agent by tools alone, in a frozen world whose demo service is at `shop`. */
export async function playStory(client: Client, shop: string): Promise<void> {
  const { treasury, USDC: held } = await done(client, 'wallet_balance');
  const sent = await done(client, 'wallet_send', { to: 'treasury', amount: 500, token: 'USDC' });
  expect(sent['to']).toBe(treasury);
  expect((await done(client, 'wallet_balance'))['USDC']).toBe(held - 500);
  const { tx_signature: signature } = sent;
  await done(client, 'deposit', { amount: 500, token: 'USDC', tx_signature: signature });
  await done(client, 'savings_deposit', { amount: 400, token: 'USDC' });

  const { reached } = await done(client, 'world_advance', { by: '30d' });
  expect(reached).toBe(true);
  const { yield_earned: earned } = await done(client, 'account');
  expect(earned.usdc).toBeCloseTo(0.55459, 5);
  await done(client, 'collateral_borrow', { amount: 200 });

  const { body, paid, status } = await done(client, 'fetch_paid', {
    url: `${shop}/weather`,
    max_amount: 0.05,
  });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ city: 'Simulacra' });
  expect(paid).toMatchObject({ amount: 0.01, token: 'USDC', receipt: { amount: 0.01 } });

  await done(client, 'world_add_fault', { endpoint: 'withdraw', effect: 'lose-response', when: { nth: 1 } });
  const withdrawal = { amount: 25, token: 'USDC', idempotency_key: 'withdrawal-1' };
  const lost = await tell(client, 'withdraw', withdrawal);
  expect(lost.content['error']).toMatchObject({ code: 'no_response' });
  await done(client, 'withdraw', withdrawal);
  const { transactions } = await done(client, 'transactions');
  expect(transactions.filter(({ type }: { type: string }) => type === 'withdraw')).toHaveLength(1);

  const refused = await tell(client, 'collateral_borrow', { amount: 100 });
  const { code, request_id: id, explanation } = refused.content['error'];
  expect(refused.isError).toBe(true);
  expect(code).toBe('collateral_limit_exceeded');
  expect(explanation).toContain('Rule collateral.ltv');
  expect((await done(client, 'world_explain', { id }))['rule']).toBe('collateral.ltv');
  expect(await done(client, 'world_invariants')).toEqual({ violations: [] });
}
