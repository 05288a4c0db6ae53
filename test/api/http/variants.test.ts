import { describe, expect, it } from 'vitest';
import { RawCaller, agentWith, world, worldWithAgent } from '../../support/world.js';

const keys = (value: unknown) => Object.keys(value as object).toSorted();

describe('variant', () => {
  it('overview: A and B have exactly their published members, merged has both', async () => {
    const collateralA = ['available_to_borrow_usdc', 'borrowed_usdc', 'ltv_ratio', 'total_savings_usdc'];
    const collateralB = ['available', 'borrowed', 'limit'];
    const expected = {
      A: [['checking', 'collateral', 'savings', 'wallet', 'yield'], collateralA],
      B: [['apy', 'checking', 'collateral', 'savings', 'wallet', 'yield_earned'], collateralB],
      merged: [
        ['apy', 'checking', 'collateral', 'savings', 'wallet', 'yield', 'yield_earned'],
        [...collateralA, ...collateralB].toSorted(),
      ],
    };
    for (const overview of ['A', 'B', 'merged'] as const) {
      const caller = await RawCaller.signedIn(await world({ variants: { overview } }), 0);
      const { body } = await caller.get('/agent/account');
      expect([keys(body), keys(body['collateral'])]).toEqual(expected[overview]);
    }
  });

  it('score: 300-850 maps the same evidence to the other range', async () => {
    const plain = await (await agentWith(await world(), 0, { usdc: 500 })).profile();
    const sim = await world({ variants: { score: '300-850' } });
    const other = await (await agentWith(sim, 0, { usdc: 500 })).profile();
    expect(other.creditScore.score).toBe(300 + Math.floor((plain.creditScore.score * 550) / 1000));
    expect(other.creditScore.subscores).toEqual(plain.creditScore.subscores);
  });

  it('purposes: each list allows its own and rejects the others', async () => {
    const allowed = { union: ['trading', 'speculative'], six: ['speculative'], four: ['trading'] };
    for (const purposes of ['union', 'six', 'four'] as const) {
      const sim = await world({ variants: { purposes } });
      await agentWith(sim, 0, { usdc: 500 });
      const caller = await RawCaller.signedIn(sim, 0);
      for (const purpose of ['trading', 'speculative']) {
        const { status } = await caller.post('/agent/loans', { amount: 100, purpose });
        expect(status, `${purposes} ${purpose}`).toBe(allowed[purposes].includes(purpose) ? 200 : 400);
      }
    }
  });

  it('duration: 30 days by default, or required', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 500 });
    const application = { amount: 100, purpose: 'task' };
    const { body } = await (await RawCaller.signedIn(sim, 0)).post('/agent/loans', application);
    expect(body['application']).toMatchObject({ terms: { duration: 30 } });
    const strict = await RawCaller.signedIn(await world({ variants: { duration: 'required' } }), 0);
    const refused = await strict.post('/agent/loans', application);
    const details = { issues: [{ path: 'body.duration' }] };
    expect(refused.body).toMatchObject({ code: 'invalid_request', details });
  });

  it('historyTypes: no-credit omits borrow and repay, and rejects them as a filter', async () => {
    for (const [historyTypes, total] of [
      ['all', 4],
      ['no-credit', 2],
    ] as const) {
      const { sim, agent } = await worldWithAgent({ usdc: 500, variants: { historyTypes } });
      await agent.depositSavings({ amount: 400, token: 'USDC' });
      await agent.borrow({ amount: 10 });
      await agent.repay({ amount: 10 });
      const { pagination, transactions } = await agent.transactions();
      expect(pagination.total).toBe(total);
      expect(transactions).toHaveLength(total);
      const caller = await RawCaller.signedIn(sim, 0);
      const filtered = await caller.get('/agent/account/transactions?type=borrow');
      expect(filtered.status).toBe(historyTypes === 'all' ? 200 : 400);
    }
  });

  it('withdrawals: queued ones are pending until their time, then completed on chain', async () => {
    const { sim, agent } = await worldWithAgent({
      usdc: 100,
      variants: { withdrawals: 'queued' },
      withdrawalDelay: '10m',
    });
    const before = await sim.chain.balances(agent.wallet.address);
    const { withdrawal, balance } = await agent.withdraw({ amount: 40, token: 'USDC' });
    expect(withdrawal).toMatchObject({ status: 'pending', tx_signature: null });
    expect(balance).toEqual({ token: 'USDC', previous: 100, current: 60 });
    expect(await sim.advance('599s')).toEqual([]);
    const latest = async () => (await agent.transactions()).transactions[0];
    expect(await latest()).toMatchObject({ type: 'withdraw', status: 'pending' });
    const fired = await sim.advance('1s');
    expect(fired).toEqual([
      { at: '2026-01-01T00:10:00.000Z', kind: 'withdrawal.completed', subject: withdrawal.id },
    ]);
    const after = await sim.chain.balances(agent.wallet.address);
    expect(after.usdcBase - before.usdcBase).toBe(40_000_000n);
    expect(await latest()).toMatchObject({ id: withdrawal.id, status: 'completed' });
  });

  it('dailyWindow: a UTC day restarts at midnight, a rolling window 24 hours after each use', async () => {
    for (const dailyWindow of ['utc-day', 'rolling-24h'] as const) {
      const { sim, agent } = await worldWithAgent({
        usdc: 3_000,
        variants: { dailyWindow },
        startTime: '2026-03-01T23:00:00Z',
      });
      await agent.withdraw({ amount: 1_000, token: 'USDC' });
      const resets = dailyWindow === 'utc-day' ? '2026-03-02T00:00:00.000Z' : '2026-03-02T23:00:00.000Z';
      const used = { limit_usd: 1000, used_usd: 1000, requested_usd: 0.000001, resets_at: resets };
      const refusal = { code: 'daily_limit_exceeded', status: 403, details: used };
      await expect(agent.withdraw({ amount: 0.000001, token: 'USDC' })).rejects.toMatchObject(refusal);
      await sim.advance({ to: new Date(Date.parse(resets) - 1) });
      await expect(agent.withdraw({ amount: 1, token: 'USDC' })).rejects.toMatchObject({ status: 403 });
      await sim.advance({ to: resets });
      await agent.withdraw({ amount: 1_000, token: 'USDC' });
    }
  });

  it('review: auto decides immediately, delay decides by the score later', async () => {
    const auto = await agentWith(await world({ variants: { review: 'auto' } }), 0, { usdc: 1_000 });
    expect((await auto.applyForLoan({ amount: 100, purpose: 'task' })).application.status).toBe('approved');
    expect((await auto.applyForLoan({ amount: 10_000, purpose: 'task' })).application.status).toBe('denied');
    const { sim, agent } = await worldWithAgent({ usdc: 1_000, variants: { review: 'delay:2h' } });
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task' });
    expect(application.status).toBe('pending_review');
    expect(await sim.advance('2h')).toEqual([
      { at: '2026-01-01T02:00:00.000Z', kind: 'review.decided', subject: application.id },
    ]);
    expect((await agent.loan(application.id)).loan.status).toBe('active');
    // A person may decide earlier.
    const second = await agent.applyForLoan({ amount: 100, purpose: 'task' });
    sim.reviews.deny(second.application.id);
    expect(await sim.advance('2h')).toEqual([]);
    expect((await agent.loan(second.application.id)).loan.status).toBe('denied');
  });

  it('network: devnet uses the devnet mint and name', async () => {
    const sim = await world({ variants: { network: 'devnet' } });
    expect(sim.facts.usdcMint).toBe('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU');
    const agent = await agentWith(sim, 0, { usdc: 5 });
    const { payment_request: request } = await agent.requestPayment({ amount: 1 });
    expect(request.network).toBe('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1');
  });

  it('errorStatus: maps a code to another published status', async () => {
    const sim = await world({ variants: { errorStatus: { insufficient_balance: 403 } } });
    const caller = await RawCaller.signedIn(sim, 0);
    const answer = await caller.post('/agent/account/withdraw', { amount: 1, token: 'USDC' });
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_balance']);
  });
});
