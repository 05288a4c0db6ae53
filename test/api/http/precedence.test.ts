import { describe, expect, it } from 'vitest';
import { RawCaller, world, worldWithAgent } from '../../support/world.js';

/** Expects the code of each call's refusal. */
async function inOrder(calls: [who: RawCaller, path: string, body: unknown, code: string][]): Promise<void> {
  for (const [who, path, body, code] of calls)
    expect((await who.post(path, body)).body.code, JSON.stringify(body).slice(0, 60)).toBe(code);
}

describe('the first of several refusals in the published order wins', () => {
  it('of a withdrawal: token, path, body, amount, limits of the account, daily limit', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 1_500 });
    await agent.withdraw({ amount: 999, token: 'USDC' });
    const caller = await RawCaller.signedIn(sim, 0);
    const path = '/agent/account/withdraw';
    await inOrder([
      [new RawCaller(sim, null), path, '{"broken', 'missing_token'],
      [new RawCaller(sim, 'x'), path, '{"broken', 'invalid_token'],
      [caller, path, `{"broken${' '.repeat(70_000)}`, 'payload_too_large'],
      [caller, path, '{"broken', 'invalid_json'],
      [caller, path, { token: 'DOGE', destination: 'me' }, 'invalid_request'],
      [caller, path, { amount: -1, token: 'DOGE', destination: 'me' }, 'unsupported_token'],
      [caller, path, { amount: -1, token: 'USDC', destination: 'me' }, 'invalid_wallet'],
      [caller, path, { amount: -1, token: 'USDC' }, 'invalid_amount'],
      [caller, path, { amount: 5_000, token: 'USDC' }, 'insufficient_balance'],
      [caller, path, { amount: 500, token: 'USDC' }, 'daily_limit_exceeded'],
    ]);
    expect((await caller.post(path, { amount: 1, token: 'USDC' })).status).toBe(200);
  });

  it('of a repayment: the path of the loan, the body, the state of the loan', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 500 });
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task' });
    const caller = await RawCaller.signedIn(sim, 0);
    const [foreign, own] = ['/agent/loans/loan_x/repay', `/agent/loans/${application.id}/repay`];
    await inOrder([
      [new RawCaller(sim, null), foreign, '{', 'missing_token'],
      [caller, foreign, '{', 'loan_not_found'],
      [caller, own, '{', 'invalid_json'],
      [caller, own, {}, 'invalid_request'],
      [caller, own, { amount: 0 }, 'invalid_amount'],
      [caller, own, { amount: 1 }, 'loan_not_active'],
    ]);
  });

  it('of a deposit: body, amount, chain', async () => {
    const caller = await RawCaller.signedIn(await world(), 0);
    const path = '/agent/account/deposit';
    const tx_signature = '5'.repeat(87);
    await inOrder([
      [caller, path, { amount: -1, token: 'DOGE', tx_signature: 'short' }, 'invalid_request'],
      [caller, path, { amount: -1, token: 'DOGE', tx_signature }, 'unsupported_token'],
      [caller, path, { amount: -1, token: 'SOL', tx_signature }, 'invalid_amount'],
      [caller, path, { amount: 1, token: 'SOL', tx_signature }, 'transaction_not_found'],
    ]);
  });

  it('of an unknown path without a token: the path', async () => {
    const sim = await world();
    expect((await new RawCaller(sim, null).post('/nowhere', '{')).body.code).toBe('not_found');
  });
});
