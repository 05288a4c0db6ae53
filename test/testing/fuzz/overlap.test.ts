// @module-tag slow
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../src/testing/fuzz-library.js';
import { FUNDED, FUNDED_SOL, ann, call, numbered, opened, overlap } from './steps.js';

const payUsdc = (amount: number) => call('x402Pay', { recipient: '${ben}', amount, token: 'USDC' });
const paySol = (recipient: string, amount: number, more = {}) =>
  call('x402Pay', { recipient, amount, token: 'SOL' }, more);
const PAY = payUsdc(1);

/** A world in which ann has money at the bank. */
async function funded() {
  const { runner, play } = await opened();
  expect(await play(numbered(FUNDED))).toBeNull();
  const authorization = `Bearer ${runner.memory.tokens.get('ann')?.text ?? ''}`;
  return { runner, play, request: { authorization, params: {}, query: {}, key: null } };
}

describe('overlapping calls', () => {
  it.each(['direct', 'http'] as const)(
    'match some serial order, in whichever order they ran: %s',
    async (transport) => {
      const { found, outcomes } = await campaign({ seed: 71, runs: 60, property: 'races', transport });
      expect(found?.failure ?? null).toBeNull();
      const played = Object.entries(outcomes).filter(([what]) => what.startsWith('overlap '));
      expect(played.reduce((sum, [, times]) => sum + times, 0)).toBeGreaterThan(500);
    },
    120_000,
  );

  const STRANGER = 'cGfHiC6Kgg3FpFZvgwGcswsCRtp4aBP2fzuXRQPizuN';
  const keyed = paySol(STRANGER, 0.000890879, { key: 'ü' });
  const AFTER = [ann('account'), ann('transactions'), ann('x402Pay', { ...PAY.with, key: 'ü' })];

  // Amounts that campaigns rarely draw together.
  it.each([
    ['the second of two payments makes the first possible', [paySol('${ann}', 4e-7), paySol('${ann}', 1)]],
    ['a payment fails while others are reserved', [PAY, paySol('${ann}', 0.0003), paySol(STRANGER, 10)]],
    [
      'two payments fail that cannot both be paid',
      [paySol(STRANGER, 0.0008), paySol(STRANGER, 0.0007), paySol(STRANGER, 29.9995)],
    ],
    ['equal calls under one key share a failure', [keyed, keyed]],
    ['equal calls and another have one key', [keyed, paySol(STRANGER, 1, { key: 'ü' }), keyed]],
    ['equal calls are told apart by the history', [PAY, PAY]],
  ])('are explained in turns at their transfers: %s', async (_name, calls) => {
    const begin = [...FUNDED, ...FUNDED_SOL];
    const { runner, play } = await opened();
    expect(await play(numbered(begin))).toBeNull();
    const snapshot = await runner.snapshot();
    for (const from of [0, 1_000])
      for (let order = from; order < from + 18; order += 1) {
        await runner.restore(snapshot);
        const steps = numbered([overlap(calls, order), ...AFTER], begin.length);
        expect(await play(steps), `order ${order}`).toBeNull();
      }
    await runner.world.close();
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
