import { describe, expect, it } from 'vitest';
import type { FuzzTarget, Step } from '../../../src/testing/fuzz-library.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequences.js';
import { inProcessWith } from '../scenario/played.js';
import { failureIn } from './by-hand.js';
import { type Lie, answeringFuzzed, fuzzedWith, lyingFuzzed, lyingInProcess } from './lying.js';
import { afterOpening, exported, failureWith, playedTroubles, stepsOf } from './export-support.js';
import { type Unnumbered, ann, call, operator } from './steps.js';

const withdrawal = (amount: number) => call('withdraw', { amount, token: 'USDC' });
const PAID = call('x402Pay', { recipient: '${ben}', amount: 1, token: 'USDC', memo: '${mine}' });
const REFUSED =
  '{"status":400,"body":{"error":"No.","code":"insufficient_balance","details":{},"requestId":"r"}}';

/** What a wrong service writes in place of a part of a response; the step that shows it, and the expectation that it breaks. */
const BUGS: readonly (readonly [string, string | RegExp, string, Unnumbered, object])[] = [
  ['a number', '"checking":{"usdc":3000', '"checking":{"usdc":1', ann('account'), { 'checking.usdc': 3000 }],
  ['a missing member', '"limit":', '"limits":', ann('account'), { 'collateral.limit': 1400 }],
  ['an extra member', '"limit":', '"x":1,"limit":', ann('account'), { 'collateral.x': { absent: true } }],
  ['a wallet', /"wallet":"[^"]+","ch/, '"wallet":"another","ch', ann('account'), { wallet: '${ann}' }],
  [
    'an ignored limit',
    /^.*daily_limit_exceeded.*$/,
    '{"status":200,"body":{}}',
    withdrawal(1000.5),
    { status: 403, code: 'daily_limit_exceeded' },
  ],
  ['an unfounded refusal', /^.*"withdrawal":.*$/, REFUSED, withdrawal(1000), { status: 200 }],
  [
    'a number in the details of a refusal',
    '"available":3000',
    '"available":2999',
    withdrawal(4000),
    { code: 'insufficient_balance', 'details.available': 3000 },
  ],
  [
    'the missing sentence of a refusal',
    /"error":"[^"]*",(?=.*"available")/,
    '',
    withdrawal(4000),
    { error: { type: 'string', not: '' } },
  ],
  ['a text like a reference', '"memo":"${mine}"', '"memo":"${its}"', PAID, { 'receipt.memo': '$${mine}' }],
  [
    'null in place of what only the service knows',
    /("withdrawal":\{[^}]*"tx_signature":)"[^"]+"/,
    '$1null',
    withdrawal(1000),
    { 'withdrawal.tx_signature': { not: null } },
  ],
  ['a missing object', /"withdrawal":\{[^}]*\},?/, '', withdrawal(1000), { withdrawal: { absent: false } }],
];

describe('last expectation of an exported scenario', () => {
  it.each(BUGS)(
    'fails while %s is wrong and passes when it is right',
    async (_what, from, to, step, expected) => {
      const lie: Lie = (text) => text.replace(from, to);
      const steps = afterOpening(step);
      const target = lyingFuzzed(lie);
      const failure = (await failureIn(target, steps, { agents: 3 })) as Failure;
      expect(failure.at).toBe(steps.length - 1);
      const text = await exported(failureWith(steps, { failure }), { target });
      expect(stepsOf(text).at(-1)).toMatchObject({ expect: expected });
      expect(await playedTroubles(text, { target: lyingInProcess(lie) })).not.toEqual([]);
      expect(await playedTroubles(text)).toEqual([]);
    },
  );

  const withdraw = (more: Step['with'] = {}) =>
    afterOpening(call('withdraw', { amount: 1, token: 'USDC' }, more));
  const scenario = (steps: readonly Step[], target: FuzzTarget) => exported(failureWith(steps), { target });

  /** A world where ann appears to hold one base unit more, before or after a transfer of the bank. */
  const holding = (isMoreAfter: boolean) =>
    fuzzedWith((world) => {
      let isAfter = false;
      return {
        call: (asked, mishap) => {
          isAfter ||= asked.operation === 'withdraw';
          return world.call(asked, mishap);
        },
        holdings: (address) => {
          const held = world.holdings(address);
          const more = isAfter === isMoreAfter && address === world.wallets[0]?.address ? 1n : 0n;
          return { ...held, USDC: held.USDC + more };
        },
      };
    });

  it('states the wallet balance that the model predicts on chain', async () => {
    const right = await scenario(withdraw(), holding(true));
    expect(stepsOf(right).at(-1)).toMatchObject({ expect: { chain: { ann: { usdc: 95_001 } } } });
    expect(await playedTroubles(right)).toEqual([]);
    const wrong = await scenario(withdraw(), holding(false));
    expect(await playedTroubles(wrong)).not.toEqual([]);
  });

  it('states that an action on a loan is refused', async () => {
    const steps = afterOpening(operator('review.deny', { loan: '${none.loan}' }));
    const allowing = fuzzedWith((world) => ({
      control: async (asked) => (asked.command === 'deny' ? { status: 200, body: {} } : world.control(asked)),
    }));
    const denying = await scenario(steps, allowing);
    expect(stepsOf(denying).at(-1)).toMatchObject({ expect: { status: 404 } });
    expect(await playedTroubles(denying)).toEqual([]);
  });

  it('states that a response is lost', async () => {
    const answering = fuzzedWith((world) => ({ call: (asked) => world.call(asked, null) }));
    for (const mishap of ['lose-response', 'drop-connection']) {
      const text = await scenario(withdraw({ mishap }), answering);
      expect(stepsOf(text).at(-2)).toMatchObject({ expect: { lost: true } });
      expect(await playedTroubles(text)).toEqual([]);
    }
  });

  it('states that there is a response', async () => {
    const silent = answeringFuzzed(
      () =>
        (answer, { operation }) =>
          operation === 'withdraw' ? null : answer,
    );
    const text = await scenario(withdraw(), silent);
    expect(stepsOf(text).at(-1)).not.toHaveProperty('expect');
    expect(await playedTroubles(text)).toEqual([]);
    const target = inProcessWith(({ fetch }) => ({
      fetch: (url, init) =>
        url.includes('withdraw') ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init),
    }));
    expect(await playedTroubles(text, { target })).not.toEqual([]);
  });

  it('is none for what an expectation cannot express: a custom rule', async () => {
    const rules = [() => 'journal.zero: the sum of USDC is 1'];
    expect(await exported(failureWith(withdraw()), { rules })).toBe('');
  });

  it.each<readonly [string, Unnumbered, Lie]>([
    [
      'an id that only the fuzzed world knows',
      ann('transactions'),
      (text) => text.replace(/("transactions":\[\{"id":")/, '$11'),
    ],
    [
      'the content of an encoded header',
      ann('x402Request', { query: { amount: '1' } }),
      (text) =>
        text.replace(/("PAYMENT-REQUIRED":")([^"]+)/, (_, name: string, header: string) => {
          const told = Buffer.from(header, 'base64').toString().replace('"payTo"', '"payTwo"');
          return name + Buffer.from(told).toString('base64');
        }),
    ],
  ])('is none for what an expectation cannot express: %s', async (_what, step, lie) => {
    expect(await scenario([...withdraw(), { id: 99, ...step }], lyingFuzzed(lie))).toBe('');
  });
});
