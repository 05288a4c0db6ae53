// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { WorldOptions } from '../../../src/testing/fuzz/world.js';
import {
  FUNDED,
  FUNDED_SOL,
  type Unnumbered,
  afterBeginnings,
  ann,
  call,
  deposit,
  numbered,
  opened,
  overlap,
  send,
} from './steps.js';

interface Orders {
  readonly from?: number;
  readonly count: number;
  readonly begin?: readonly Unnumbered[];
  readonly options?: Partial<WorldOptions>;
}

const payUsdc = (amount: number, recipient = '${ben}') =>
  call('x402Pay', { recipient, amount, token: 'USDC' });
const paySol = (recipient: string, amount: number, more = {}) =>
  call('x402Pay', { recipient, amount, token: 'SOL' }, more);
const PAY = payUsdc(1);

const RICH = [...FUNDED, ...FUNDED_SOL];
const agree = afterBeginnings();

/** Plays steps for each of many orders, after others that they begin with, and expects the model to agree. `after` are steps with the overlap in an order. */
async function agrees(
  after: (order: number) => readonly Unnumbered[],
  { from = 0, count, begin = FUNDED, options = {} }: Orders,
): Promise<void> {
  for (let order = from; order < from + count; order += 1)
    await agree(begin, after(order), `order ${order}`, options);
}

/** A world in which ann has money at the bank. */
async function funded() {
  const { runner, play } = await opened();
  expect(await play(numbered(FUNDED))).toBeNull();
  const authorization = `Bearer ${runner.memory.tokens.get('ann')?.text ?? ''}`;
  return { runner, play, request: { authorization, params: {}, query: {}, key: null } };
}

describe('overlapping calls', () => {
  it('match some serial order, in whichever order they ran', async () => {
    const calls = [payUsdc(900), payUsdc(900), PAY];
    await agrees((order) => [overlap(calls, order)], { count: 15 });
  });

  it.each([{}, { historyRows: 2 }])(
    'that are identical are distinguished by the history, limits %j',
    async (limits) => {
      await agrees((order) => [overlap([PAY, PAY], order), ann('transactions')], {
        count: 15,
        options: { limits },
      });
    },
  );

  it('may see the reservation of a transfer that later fails on chain', async () => {
    const begin = [...FUNDED, send('SOL', 4.12e-7), deposit('SOL', 4.12e-7, 4)];
    const calls = [paySol('${ann}', 4e-7), paySol('${ann}', 1)];
    await agrees((order) => [overlap(calls, order), ann('account')], { begin, count: 10 });
  });

  it('whose responses fit several orders continue with the order that paid the fees', async () => {
    const calls = [payUsdc(1, '${ann}'), ann('x402Request', { query: { amount: '5' } })];
    for (const transport of ['direct', 'http'] as const)
      await agrees((order) => [overlap(calls, order)], { from: 90, count: 20, options: { transport } });
  });

  it('under one key may share a failure, which the history then has once', async () => {
    const keyed = paySol('${ann}', 0.00044544, { key: 'k' });
    const after = (order: number) => [overlap([keyed, keyed], order), ann('transactions')];
    await agrees(after, { begin: RICH, count: 8 });
  });

  describe.each([0, 1_000])('in turns at their transfers, which begin in orders from %i on,', (from) => {
    const AFTER = [
      ann('account'),
      ann('transactions'),
      ann('x402Pay', { ...PAY.with, key: 'ü' }),
      ann('transactions'),
    ];
    const STRANGER = 'cGfHiC6Kgg3FpFZvgwGcswsCRtp4aBP2fzuXRQPizuN';
    const keyed = paySol(STRANGER, 0.000890879, { key: 'ü' });
    const saving = call('savingsWithdraw', { amount: 1, token: 'USDC' }, { key: 'ü' });
    const withdrawal = call('withdraw', { amount: 0.0005, token: 'SOL', destination: STRANGER });
    const request = ann('x402Request', { query: { amount: '0.0001', token: 'SOL' } });
    const CALLS: Readonly<Record<string, readonly Unnumbered[]>> = {
      'the second of two payments makes the first possible': [paySol('${ann}', 4e-7), paySol('${ann}', 1)],
      'a payment fails while others are reserved': [PAY, paySol('${ann}', 0.0003), paySol(STRANGER, 10)],
      'two payments fail that cannot both be paid': [
        paySol(STRANGER, 0.0008),
        paySol(STRANGER, 0.0007),
        paySol(STRANGER, 29.9995),
      ],
      'equal calls and another have one key': [keyed, saving, keyed],
      'calls with one key all differ': [keyed, saving, paySol(STRANGER, 1, { key: 'ü' })],
      'a withdrawal and a payment open the same address': [withdrawal, paySol(STRANGER, 1), ann('account')],
      'requests and a payment make one address ready': [request, request, paySol('${ann}', 0.0002)],
    };
    it.each(Object.entries(CALLS))('are explained: %s', async (_name, calls) => {
      const after = (order: number) => [overlap(calls, order), ...AFTER];
      await agrees(after, { begin: RICH, from, count: 18 });
    });
  });

  it('have their transfers in flight at the same time', async () => {
    const { runner, request } = await funded();
    const { world } = runner;
    let [under, most] = [0, 0];
    world.onTransfer(async () => {
      // Before and after each of two transfers.
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      under -= 1;
    });
    const body = { recipient: runner.address('ben'), amount: 1, token: 'USDC' };
    const pay = { ...request, operation: 'x402Pay', body } as const;
    const answers = await Promise.all([world.call(pay, null), world.call(pay, null)]);
    expect(answers.map((answer) => answer?.status)).toEqual([200, 200]);
    expect(most).toBe(2);
    await world.close();
  });

  it('are a counterexample when no serial order explains their responses', async () => {
    const { runner, play, request } = await funded();
    // A transfer that the model does not know of.
    const body = { amount: 1_000, token: 'USDC' };
    await runner.world.call({ ...request, operation: 'savingsDeposit', body }, null);
    const failure = await play(numbered([overlap([payUsdc(600), PAY], 1)], FUNDED.length));
    expect(failure?.text).toMatch(
      /^no order of the overlapping calls explains their responses\. x402Pay, x402Pay: /,
    );
    await runner.world.close();
  });
});
