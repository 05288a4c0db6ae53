// @module-tag slow
import { describe, it } from 'vitest';
import { MISHAPS, type Mishap } from '../../../src/testing/fuzz/world.js';
import {
  FUNDED as USDC_FUNDED,
  FUNDED_SOL,
  LOOK,
  type Unnumbered,
  advance,
  afterBeginnings,
  ann,
  by,
  call,
  deposit,
  operator,
  overlap,
  send,
} from './steps.js';

const drain = (token: string, left: number) => operator('drain', { token, left });
const FUNDED = [...USDC_FUNDED, ...FUNDED_SOL];

/** 10 USDC and 3 SOL lie at the lending protocol, 2 USDC and 2 SOL at a collection address. */
const SPREAD: readonly Unnumbered[] = [
  ...FUNDED,
  call('savingsDeposit', { token: 'USDC', amount: 10 }),
  call('savingsDeposit', { token: 'SOL', amount: 3 }),
  advance(43_200_000),
  call('x402Pay', { token: 'USDC', amount: 2, recipient: '${ann}' }),
  call('x402Pay', { token: 'SOL', amount: 2, recipient: '${ann}' }),
  call('savingsWithdraw', { token: 'USDC', amount: 4 }),
  call('savingsWithdraw', { token: 'SOL', amount: 1 }),
];

const agrees = afterBeginnings();

/** What is left to the treasury: nothing to spend, too little for the transfer, and enough. */
const LEFT: readonly (readonly [string, number, number])[] = [
  ['USDC', 0, 2],
  ['USDC', 1, 2],
  ['USDC', 2_000_000, 2],
  ['SOL', 1_100_000_000, 5],
  ['SOL', 1_005_000_000, 0.9],
];
const OUTFLOWS: readonly (readonly [
  string,
  string,
  (token: string, amount: number) => Unnumbered['with'],
])[] = [
  ['a withdrawal', 'withdraw', (token, amount) => ({ token, amount })],
  [
    'a withdrawal to a collection address',
    'withdraw',
    (token, amount) => ({ token, amount, destination: '${ann.collection}' }),
  ],
  ['a payment to itself', 'x402Pay', (token, amount) => ({ token, amount, recipient: '${ann}' })],
  ['a payment to somebody else', 'x402Pay', (token, amount) => ({ token, amount, recipient: '${cem}' })],
];

describe.each(OUTFLOWS)('%s, after which the treasury loses its money,', (_name, operation, bodyOf) => {
  it.each(Object.keys(MISHAPS) as Mishap[])(
    'ends as the model says when it meets a fault: %s',
    async (mishap) => {
      for (const [token, left, amount] of LEFT) {
        const steps = [
          call(operation, bodyOf(token, amount), { mishap }),
          drain(token, left),
          call('withdraw', { token, amount: 0.5 }),
          ...LOOK,
          advance(20_000),
          call('x402Pay', { token, amount: 1.5, recipient: '${ann}' }),
          ...LOOK,
          advance(300_000),
          call('withdraw', { token, amount: 1 }),
          ...LOOK,
        ];
        await agrees(FUNDED, steps, `${token} ${left}`);
      }
    },
  );

  it('takes back savings, and waits for them, as the model says', async () => {
    for (const mishap of ['late-transaction', 'late-confirmation', 'lost-transaction'] as const)
      for (const [token, left, amount] of LEFT) {
        const steps = [
          call('savingsDeposit', { token, amount: 10 }),
          advance(86_400_000),
          call(operation, bodyOf(token, amount), { mishap }),
          call('savingsWithdraw', { token, amount: 4 }),
          drain(token, left),
          advance(20_000),
          call('withdraw', { token, amount: 3 }),
          advance(86_400_000),
          ...LOOK,
        ];
        await agrees(FUNDED, steps, `${mishap} ${token} ${left}`);
      }
  });
});

describe('a treasury that is short, whose own transfers meet a fault,', () => {
  it('knows what they cost before it takes any transaction', async () => {
    const steps = [
      drain('SOL', 1_000_000_000),
      call('savingsDeposit', { token: 'SOL', amount: 1 }),
      call('x402Pay', { token: 'USDC', amount: 1, recipient: '${ann}' }, { mishap: 'no-confirmation' }),
    ];
    const midnight = advance(90_000_000);
    await agrees(FUNDED, [...steps, midnight], 'midnight');
    await agrees(FUNDED, [...steps, send('SOL', 1), midnight], 'midnight');
    await agrees(FUNDED, [...steps, drain('SOL', 1_100_000_000), midnight], 'midnight');
  });

  it.each(Object.keys(MISHAPS) as Mishap[])('is as the model says, at once and later: %s', async (mishap) => {
    for (const [token, left] of LEFT)
      for (const again of [0, 20_000, 60_400, 300_000, 43_200_000]) {
        const steps = [
          drain(token, left),
          call('withdraw', { token, amount: 5 }, { mishap }),
          ...LOOK,
          call('x402Pay', { token, amount: 1.5, recipient: '${cem}' }, { mishap }),
          ...(again === 0 ? [] : [advance(again)]),
          call('withdraw', { token, amount: 1 }),
          call('savingsDeposit', { token, amount: 1 }),
          ...LOOK,
          advance(90_000_000),
          ann('signIn'),
          call('withdraw', { token, amount: 1.5 }),
          ...LOOK,
        ];
        await agrees(SPREAD, steps, `${token} ${left}, ${again} ms`);
      }
  });
});

it('a queued withdrawal whose money is gone when it is due fails as the model says', async () => {
  for (const mishap of [undefined, 'late-transaction', 'late-confirmation'] as const)
    for (const [token, left, amount] of LEFT) {
      const steps = [
        call('x402Pay', { token, amount, recipient: '${ann}' }, mishap === undefined ? {} : { mishap }),
        call('withdraw', { token, amount }),
        call('withdraw', { token, amount: 1 }),
        drain(token, left),
        ...LOOK,
        advance(86_400_000),
        ...LOOK,
      ];
      await agrees(FUNDED, steps, `${mishap} ${token} ${left}`, { variants: { withdrawals: 'queued' } });
    }
});

describe('calls that overlap while the treasury is short', () => {
  const account = ann('account');
  const request = ann('x402Request', { query: { amount: '0.0001', token: 'SOL' } });
  const ofToken = (token: string): Readonly<Record<string, readonly Unnumbered[]>> => ({
    'both are paid from savings': [
      call('withdraw', { token, amount: 0.4 }),
      call('withdraw', { token, amount: 0.3 }),
    ],
    'one can be paid': [
      call('withdraw', { token, amount: 4.5 }),
      call('x402Pay', { token, amount: 3, recipient: '${cem}' }),
    ],
    'none can be paid': [
      call('withdraw', { token, amount: 8 }),
      call('withdraw', { token, amount: 9 }),
      account,
    ],
    'savings change meanwhile': [
      call('withdraw', { token, amount: 2 }),
      call('savingsDeposit', { token, amount: 2 }),
      call('x402Pay', { token, amount: 1, recipient: '${ann}' }),
    ],
    'another token and a request need nothing': [
      call('withdraw', { token, amount: 3 }),
      call('withdraw', { token: token === 'SOL' ? 'USDC' : 'SOL', amount: 1 }),
      request,
    ],
  });

  describe.each(LEFT)('when the treasury has %s %d', (token, left) => {
    it.each(Object.entries(ofToken(token)))('are as the model says: %s', async (_name, calls) => {
      for (const first of [0, 1_000])
        for (let order = first; order < first + 5; order += 1) {
          const steps = [drain(token, left), overlap(calls, order), ...LOOK, advance(86_400_000), ...LOOK];
          await agrees(SPREAD, steps, `order ${order}`);
        }
    });
  });

  it.each([
    ['see what another has reserved that cannot be paid', [1_000, 1], [drain('USDC', 5_000_000)]],
    ['are both short when the treasury could pay one', [1, 500], [drain('USDC', 1), send('USDC', 500)]],
  ])('%s', async (_name, amounts, before) => {
    const calls = amounts.map((amount) => call('withdraw', { token: 'USDC', amount }));
    for (const order of [1_185, 1_263, 1_500, 2_000])
      await agrees(FUNDED, [...before, overlap(calls, order), ...LOOK], `order ${order}`);
  });

  it('let another call see what a payment has reserved when nothing can be moved to the treasury', async () => {
    const calls = [
      call('savingsWithdraw', { token: 'USDC', amount: 1 }),
      call('x402Pay', { token: 'USDC', amount: 1, recipient: '${cem}' }),
    ];
    for (const order of [1_847, ...Array.from({ length: 12 }, (_, at) => at)]) {
      const saved = [call('savingsDeposit', { token: 'USDC', amount: 1 }), advance(90_000_000)];
      const steps = [...saved, drain('USDC', 0), ann('signIn'), overlap(calls, order), ...LOOK];
      await agrees(FUNDED, steps, `order ${order}`);
    }
  });

  it('queue withdrawals of two agents in the order in which they are then carried out', async () => {
    const ben = (step: Unnumbered): Unnumbered => ({ ...step, by: 'ben' });
    const both = [by('ben', 'signIn'), ben(send('USDC', 1_500)), ben(deposit('USDC', 1_500, 7))];
    const calls = [
      call('withdraw', { token: 'USDC', amount: 1_000 }),
      ben(call('withdraw', { token: 'USDC', amount: 1 })),
    ];
    for (let order = 0; order < 20; order += 1) {
      const steps = [
        ...both,
        overlap(calls, order),
        drain('USDC', 1_000_000_000),
        advance(4_000_000),
        ...LOOK,
      ];
      await agrees(FUNDED, steps, `order ${order}`, { variants: { withdrawals: 'queued' } });
    }
  });
});
