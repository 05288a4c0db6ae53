import { describe, expect, it } from 'vitest';
import { Alone, DAY_MS, START_MS } from './setting.js';

const UUID = 'a4a39dc4-a105-405f-adc4-9c3c8573eb7f';
const refusal = (status: number, code: string, details: object) => ({
  status,
  body: { error: 'A sentence.', code, details, requestId: 'req_1' },
});

describe('model of savings and collateral', () => {
  it('earns 2.08 USDC on 500 in 90 days and allows a debt of 350', () => {
    const alone = new Alone();
    alone.fund(1_000);
    alone.done('savingsDeposit', { amount: 500, token: 'USDC' });
    alone.model.advance(START_MS + 90 * DAY_MS);
    const { earned, collateralLimitBase } = alone.model.accountState(alone.signer.address);
    expect(earned.USDC).toBe(2_082_599n);
    expect(collateralLimitBase).toBe(350_000_000n);
  });

  it('owes 210.046028 USDC a day after borrowing 210 and locks the savings that secure it', () => {
    const alone = new Alone();
    alone.fund(1_000);
    alone.done('savingsDeposit', { amount: 400, token: 'USDC' });
    alone.done('collateralBorrow', { amount: 210 });
    alone.model.advance(START_MS + DAY_MS);
    alone.signIn();
    const { collateralDebtBase } = alone.model.accountState(alone.signer.address);
    expect(collateralDebtBase).toBe(210_046_028n);
    const locked = refusal(400, 'collateral_locked', { max_withdrawable: 99.934245 });
    expect(alone.judge('savingsWithdraw', { body: { amount: 390, token: 'USDC' } }, locked)).toBeNull();
  });

  it('pays a withdrawal its proportional share of the yield', () => {
    const alone = new Alone();
    alone.fund(1_000);
    alone.done('savingsDeposit', { amount: 500, token: 'USDC' });
    alone.model.advance(START_MS + 90 * DAY_MS);
    alone.signIn();
    const change = (previous: number, current: number) => ({ token: 'USDC', previous, current });
    const body = {
      success: true,
      savings_withdrawal: { id: UUID, amount: 100, token: 'USDC', yield_included: 0.416519 },
      checking: change(500, 600.416519),
      savings: change(500, 400),
    };
    alone.judged('savingsWithdraw', { body: { amount: 100, token: 'USDC' } }, body);
    expect(alone.model.accountState(alone.signer.address).earned.USDC).toBe(1_666_080n);
  });
});

describe('model of the credit score', () => {
  it('scores a new customer with an empty wallet 190 and denies credit', () => {
    const alone = new Alone();
    const body = {
      wallet: alone.signer.address,
      creditScore: {
        score: 190,
        pdBand: '15-30%',
        riskCategory: 'High',
        htm: 0.795,
        creditLimit: 0,
        suggestedAPR: 0.5607,
        decision: 'DENY',
        subscores: { onChain: 0, identity: 200, banking: 0, repayment: 500 },
      },
      onChainData: { solBalance: 0, totalTransactions: 0, accountAgeDays: null },
      identity: { wallet: true, x: false, github: false },
    };
    expect(alone.judge('profile', {}, { status: 200, body })).toBeNull();
  });

  it('moves an unpaid loan to overdue and defaulted, and denies the next application', () => {
    const alone = new Alone({ variants: { review: 'auto' } });
    alone.model.operate({
      command: 'linkIdentity',
      body: { wallet: alone.signer.address, x: true, github: true },
    });
    alone.done('loanApply', { amount: 100, purpose: 'task', duration: 1 });
    expect(alone.model.accountState(alone.signer.address).loans[0]?.status).toBe('active');
    alone.model.advance(START_MS + DAY_MS);
    expect(alone.model.accountState(alone.signer.address).loans[0]?.status).toBe('overdue');
    alone.model.advance(START_MS + 31 * DAY_MS);
    expect(alone.model.accountState(alone.signer.address).loans[0]?.status).toBe('defaulted');
    alone.signIn();
    const low = alone.expect('loanApply', { body: { amount: 100, purpose: 'task' } });
    const application = { id: 'loan_1', status: 'denied', amount: 100, apr: 0.556 };
    const terms = { duration: 30, repayment: 'bullet', purpose: 'task' };
    expect(low.judge({ status: 200, body: { application: { ...application, terms } } })).toBeNull();
  });
});

describe('model of refusals', () => {
  it('expects refusals in the order of token, path, body, key', () => {
    const alone = new Alone();
    const bad = { params: { id: 'x' }, body: {}, key: '' };
    expect(alone.expect('loanRepay', { ...bad, authorization: null }).code).toBe('missing_token');
    expect(alone.expect('loanRepay', bad).code).toBe('loan_not_found');
    expect(alone.expect('withdraw', { body: { amount: 1 }, key: '' }).code).toBe('invalid_request');
  });

  it('expects refusals in the order of names, amount, balance, oracle, limit, chain', () => {
    const alone = new Alone();
    alone.fund(5_000);
    const codeOf = (body: object, oracleIsOut = true) =>
      alone.expect(
        'withdraw',
        { body },
        { oracleIsOut, chainIsOut: true, transaction: null, isKilled: false },
      ).code;
    expect(codeOf({ amount: -1, token: 'EUR', destination: 'x' })).toBe('unsupported_token');
    expect(codeOf({ amount: -1, token: 'USDC', destination: 'x' })).toBe('invalid_wallet');
    expect(codeOf({ amount: -1, token: 'USDC' })).toBe('invalid_amount');
    expect(codeOf({ amount: 6_000, token: 'USDC' })).toBe('insufficient_balance');
    expect(codeOf({ amount: 2_000, token: 'USDC' })).toBe('oracle_unavailable');
    expect(codeOf({ amount: 2_000, token: 'USDC' }, false)).toBe('daily_limit_exceeded');
    expect(codeOf({ amount: 1, token: 'USDC' }, false)).toBe('chain_unavailable');
  });

  it('reports a difference with its path', () => {
    const alone = new Alone();
    const wrong = refusal(400, 'insufficient_balance', { token: 'USDC', available: 1, requested: 5 });
    const asked = { body: { amount: 5, token: 'USDC' } };
    expect(alone.judge('savingsDeposit', asked, wrong)).toBe('details.available: expected 0, got 1');
    const extra = { token: 'USDC', available: 0, requested: 5, at: 'now' };
    expect(alone.judge('savingsDeposit', asked, refusal(400, 'insufficient_balance', extra))).toBe(
      'details.at: expected nothing, got "now"',
    );
  });

  it('tolerates the binary noise of an amount and no other digits', () => {
    const alone = new Alone();
    const codeOf = (amount: unknown) =>
      alone.expect('savingsDeposit', { body: { amount, token: 'USDC' } }).code;
    expect(codeOf(0.1 + 0.2)).toBe('insufficient_balance');
    for (const amount of [0.300_000_1, 0, -1, 1e12 + 1, '5', null])
      expect(codeOf(amount)).toBe('invalid_amount');
  });
});

describe('model of the daily limit', () => {
  it('frees the allowance at UTC midnight or after 24 hours, by variant', () => {
    for (const [dailyWindow, freeMs] of [
      ['utc-day', START_MS + DAY_MS / 2],
      ['rolling-24h', START_MS + DAY_MS],
    ] as const) {
      const alone = new Alone({ variants: { dailyWindow } });
      alone.fund(5_000);
      alone.done('withdraw', { amount: 1_000, token: 'USDC' });
      alone.model.advance(freeMs - 1);
      alone.signIn();
      const cent = { amount: 0.01, token: 'USDC' };
      expect(alone.expect('withdraw', { body: cent }).code).toBe('daily_limit_exceeded');
      alone.model.advance(freeMs);
      alone.done('withdraw', cent);
    }
  });

  it('returns the allowance when a queued withdrawal fails', () => {
    const alone = new Alone({ variants: { withdrawals: 'queued' } });
    alone.fund(1);
    const { address } = alone.signer;
    alone.model.sent({
      signature: '3'.repeat(80),
      hasFailed: false,
      feePayer: address,
      feeLamports: 5_000n,
      signers: [address],
      transfers: [
        { from: address, to: alone.modelConfig.treasury, token: 'SOL', amountBase: 1_000_000_000n },
      ],
      slot: 2,
      blockTimeSeconds: START_MS / 1000,
    });
    alone.done('deposit', { amount: 1, token: 'SOL', tx_signature: '3'.repeat(80) });
    alone.done('withdraw', { amount: 0.0001, token: 'SOL' });
    expect(alone.model.accountState(address).withdrawnMicroUsd).toBe(15_000n);
    alone.model.advance(START_MS + 600_000);
    expect(alone.model.accountState(address).withdrawnMicroUsd).toBe(0n);
    expect(alone.model.accountState(address).checking.SOL).toBe(1_000_000_000n);
  });
});

describe('model of idempotency', () => {
  it('expects the first response for every repeat, and learns a lost one from its repeat', () => {
    const alone = new Alone();
    alone.fund(100);
    const asked = { body: { amount: 10, token: 'USDC' }, key: 'k' };
    const change = (previous: number, current: number) => ({ token: 'USDC', previous, current });
    const answer = {
      success: true,
      savings_deposit: { id: UUID, amount: 10, token: 'USDC' },
      checking: change(100, 90),
      savings: change(0, 10),
    };
    alone.expect('savingsDeposit', asked).judge(null);
    alone.judged('savingsDeposit', asked, answer);
    alone.judged('savingsDeposit', asked, answer);
    const other = { ...answer, savings_deposit: { ...answer.savings_deposit, id: '1' } };
    expect(alone.judge('savingsDeposit', asked, { status: 200, body: other })).toMatch(/savings_deposit\.id/);
    expect(alone.expect('savingsDeposit', { ...asked, body: { amount: 11, token: 'USDC' } }).code).toBe(
      'idempotency_key_reused',
    );
  });

  it('lets a refused call be repeated under its key', () => {
    const alone = new Alone();
    const asked = { body: { amount: 10, token: 'USDC' }, key: 'k' };
    expect(alone.expect('savingsDeposit', asked).code).toBe('insufficient_balance');
    alone.fund(100);
    expect(alone.expect('savingsDeposit', asked).code).toBeNull();
  });

  it('rejects an id that was issued before', () => {
    const alone = new Alone();
    alone.fund(100);
    const change = (previous: number, current: number) => ({ token: 'USDC', previous, current });
    const answer = (from: number) => ({
      success: true,
      savings_deposit: { id: UUID, amount: 10, token: 'USDC' },
      checking: change(from, from - 10),
      savings: change(100 - from, 110 - from),
    });
    const asked = { body: { amount: 10, token: 'USDC' } };
    alone.judged('savingsDeposit', asked, answer(100));
    expect(alone.judge('savingsDeposit', asked, { status: 200, body: answer(90) })).toMatch(
      /expected a new UUID/,
    );
  });
});

describe('copy of the model', () => {
  it('does not change with the original', () => {
    const alone = new Alone();
    alone.fund(100);
    const copy = alone.model.copy();
    alone.done('savingsDeposit', { amount: 10, token: 'USDC' });
    alone.model.advance(START_MS + DAY_MS);
    const { address } = alone.signer;
    expect(copy.nowMs).toBe(START_MS);
    expect(copy.accountState(address)).toMatchObject({
      checking: { USDC: 100_000_000n },
      savings: { USDC: 0n },
    });
    expect(alone.model.accountState(address)).toMatchObject({ savings: { USDC: 10_000_000n } });
  });
});
