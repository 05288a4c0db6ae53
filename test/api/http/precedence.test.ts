import { describe, expect, it } from 'vitest';
import { RawCaller, agentWith, world } from '../../support/world.js';

describe('the first of several refusals in the published order wins', () => {
  it('of a withdrawal: token, path, body, amount, limits of the account, daily limit', async () => {
    const sim = await world();
    const agent = await agentWith(sim, 0, { usdc: 1_500 });
    await agent.withdraw({ amount: 999, token: 'USDC' });
    const { token } = await agent.signIn();
    const anonymous = new RawCaller(sim, null);
    const caller = new RawCaller(sim, token);
    const path = '/agent/account/withdraw';
    const steps: [RawCaller, unknown, string][] = [
      [anonymous, '{"broken', 'missing_token'],
      [new RawCaller(sim, 'x'), '{"broken', 'invalid_token'],
      [caller, `{"broken${' '.repeat(70_000)}`, 'payload_too_large'],
      [caller, '{"broken', 'invalid_json'],
      [caller, { token: 'DOGE', destination: 'me' }, 'invalid_request'],
      [caller, { amount: -1, token: 'DOGE', destination: 'me' }, 'unsupported_token'],
      [caller, { amount: -1, token: 'USDC', destination: 'me' }, 'invalid_wallet'],
      [caller, { amount: -1, token: 'USDC' }, 'invalid_amount'],
      [caller, { amount: 5_000, token: 'USDC' }, 'insufficient_balance'],
      [caller, { amount: 500, token: 'USDC' }, 'daily_limit_exceeded'],
    ];
    for (const [who, body, code] of steps) {
      expect((await who.post(path, body)).body.code, JSON.stringify(body).slice(0, 60)).toBe(code);
    }
    expect((await caller.post(path, { amount: 1, token: 'USDC' })).status).toBe(200);
  });

  it('of a repayment: the path of the loan, the body, the state of the loan', async () => {
    const sim = await world();
    const agent = await agentWith(sim, 0, { usdc: 500 });
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task' });
    const { token } = await agent.signIn();
    const caller = new RawCaller(sim, token);
    const own = `/agent/loans/${application.id}/repay`;
    expect((await new RawCaller(sim, null).post('/agent/loans/loan_x/repay', '{')).body.code).toBe(
      'missing_token',
    );
    expect((await caller.post('/agent/loans/loan_x/repay', '{')).body.code).toBe('loan_not_found');
    expect((await caller.post(own, '{')).body.code).toBe('invalid_json');
    expect((await caller.post(own, {})).body.code).toBe('invalid_request');
    expect((await caller.post(own, { amount: 0 })).body.code).toBe('invalid_amount');
    expect((await caller.post(own, { amount: 1 })).body.code).toBe('loan_not_active');
  });

  it('of a deposit: body, amount, chain', async () => {
    const sim = await world();
    const caller = await RawCaller.signedIn(sim, 0);
    const path = '/agent/account/deposit';
    const tx_signature = '5'.repeat(87);
    const codes = [];
    for (const body of [
      { amount: -1, token: 'DOGE', tx_signature: 'short' },
      { amount: -1, token: 'DOGE', tx_signature },
      { amount: -1, token: 'SOL', tx_signature },
      { amount: 1, token: 'SOL', tx_signature },
    ]) {
      codes.push((await caller.post(path, body)).body.code);
    }
    expect(codes).toEqual([
      'invalid_request',
      'unsupported_token',
      'invalid_amount',
      'transaction_not_found',
    ]);
  });

  it('of an unknown path without a token: the path', async () => {
    const sim = await world();
    expect((await new RawCaller(sim, null).post('/nowhere', '{')).body.code).toBe('not_found');
  });
});
