// @module-tag slow
import { describe, expect, it } from 'vitest';
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

const payUsdc = (amount: number, recipient = '${ben}') =>
  call('x402Pay', { recipient, amount, token: 'USDC' });
const paySol = (recipient: string, amount: number, more = {}) =>
  call('x402Pay', { recipient, amount, token: 'SOL' }, more);
const PAY = payUsdc(1);

const RICH = [...FUNDED, ...FUNDED_SOL];
const playedAfter = afterBeginnings();

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
    for (let order = 0; order < 30; order += 1)
      expect(await playedAfter(FUNDED, [overlap(calls, order)]), `order ${order}`).toBeNull();
  });

  it.each([{}, { historyRows: 2 }])(
    'that are identical are distinguished by the history, limits %j',
    async (limits) => {
      for (let order = 0; order < 30; order += 1) {
        const steps = [overlap([PAY, PAY], order), ann('transactions')];
        expect(await playedAfter(FUNDED, steps, { limits }), `order ${order}`).toBeNull();
      }
    },
  );

  it('may see the reservation of a transfer that later fails on chain', async () => {
    const begin = [...FUNDED, send('SOL', 4.12e-7), deposit('SOL', 4.12e-7, 4)];
    const calls = [paySol('${ann}', 4e-7), paySol('${ann}', 1)];
    for (let order = 0; order < 20; order += 1)
      expect(await playedAfter(begin, [overlap(calls, order), ann('account')]), `order ${order}`).toBeNull();
  });

  it('whose responses fit several orders continue with the order that paid the fees', async () => {
    const calls = [payUsdc(1, '${ann}'), ann('x402Request', { query: { amount: '5' } })];
    for (const transport of ['direct', 'http'] as const)
      for (let order = 90; order < 110; order += 1)
        expect(
          await playedAfter(FUNDED, [overlap(calls, order)], { transport }),
          `${transport}, order ${order}`,
        ).toBeNull();
  });

  it('under one key may share a failure, which the history then has once', async () => {
    const keyed = paySol('${ann}', 0.00044544, { key: 'k' });
    for (let order = 0; order < 8; order += 1) {
      const steps = [overlap([keyed, keyed], order), ann('transactions')];
      expect(await playedAfter(RICH, steps), `order ${order}`).toBeNull();
    }
  });

  describe.each([0, 1_000])('in turns at their transfers, which begin in orders from %i on,', (first) => {
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
      for (let order = first; order < first + 40; order += 1) {
        expect(await playedAfter(RICH, [overlap(calls, order), ...AFTER]), `order ${order}`).toBeNull();
      }
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
