// @module-tag slow
import { describe, expect, it } from 'vitest';
import type { BankLimits } from '../../../src/core/domain/bank-limits.js';
import { COMMANDS, Model, ModelRunner, type Step, replay } from '../../../src/testing/fuzz-library.js';
import { playSequence } from '../../../src/testing/fuzz/play/sequence.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { failureByHand } from './by-hand.js';

const PAY = { do: 'x402Pay', by: 'ann', with: { body: { recipient: '${ben}', amount: 1, token: 'USDC' } } };

const FUNDED: readonly Step[] = [
  { id: 1, do: 'signIn', by: 'ann', with: {} },
  {
    id: 2,
    do: 'send',
    by: 'ann',
    with: { transfers: [{ to: '${treasury}', token: 'USDC', amount: 1_500 }] },
  },
  {
    id: 3,
    do: 'deposit',
    by: 'ann',
    with: { body: { amount: 1_500, token: 'USDC', tx_signature: '${s2.signature}' } },
  },
];

function played(steps: readonly Step[], limits: Partial<BankLimits> = {}) {
  const file = failureByHand([...FUNDED, ...steps]);
  return replay({ ...file, world: { ...file.world, limits } });
}

/** A world in which ann has money at the bank. */
async function funded() {
  const world = await inProcessFuzz.open({
    engine: 'litesvm',
    transport: 'direct',
    seed: 'fuzz',
    variants: {},
  });
  const player = new ModelRunner(world, new Model(world.modelConfig), 2);
  const options = {
    commands: new Map(COMMANDS.map((each) => [each.name, each])),
    rules: [],
    proofEvery: 1,
  };
  expect(await playSequence(FUNDED, { runner: player, options })).toBeNull();
  return { world, player, options };
}

describe('overlapping calls', () => {
  const overlap = (id: number, calls: readonly (typeof PAY)[], order: number): Step => ({
    id,
    do: 'overlap',
    with: { calls: calls.map((call) => ({ ...call })), order },
  });

  it('match some serial order, in whichever order they ran', async () => {
    const large = { ...PAY, with: { body: { ...PAY.with.body, amount: 900 } } };
    for (let order = 0; order < 30; order += 1)
      expect(await played([overlap(4, [large, large, PAY], order)]), `order ${order}`).toMatchObject({
        verdict: 'FIXED',
      });
  });

  it.each([{}, { historyRows: 2 }])(
    'that are identical are distinguished by the history, limits %j',
    async (limits) => {
      for (let order = 0; order < 30; order += 1) {
        const steps = [overlap(4, [PAY, PAY], order), { id: 5, do: 'transactions', by: 'ann', with: {} }];
        expect(await played(steps, limits), `order ${order}`).toEqual({ verdict: 'FIXED', failure: null });
      }
    },
  );

  it('may see the reservation of a transfer that later fails on chain', async () => {
    const pay = (amount: number) => ({
      ...PAY,
      with: { body: { recipient: '${ann}', amount, token: 'SOL' } },
    });
    const sol = [
      {
        id: 4,
        do: 'send',
        by: 'ann',
        with: { transfers: [{ to: '${treasury}', token: 'SOL', amount: 4.12e-7 }] },
      },
      {
        id: 5,
        do: 'deposit',
        by: 'ann',
        with: { body: { amount: 4.12e-7, token: 'SOL', tx_signature: '${s4.signature}' } },
      },
    ];
    for (let order = 0; order < 20; order += 1) {
      const after = { id: 7, do: 'account', by: 'ann', with: {} };
      const steps = [...sol, overlap(6, [pay(4e-7), pay(1)], order), after];
      expect(await played(steps), `order ${order}`).toEqual({ verdict: 'FIXED', failure: null });
    }
  });

  it('whose responses fit several orders continue with the order that paid the fees', async () => {
    const own = { ...PAY, with: { body: { ...PAY.with.body, recipient: '${ann}' } } };
    const request = { do: 'x402Request', by: 'ann', with: { query: { amount: '5' } } };
    for (const transport of ['direct', 'http'] as const)
      for (let order = 90; order < 110; order += 1) {
        const calls = [own, request as unknown as typeof PAY];
        const file = failureByHand([...FUNDED, overlap(4, calls, order)]);
        const world = { ...file.world, transport };
        expect(await replay({ ...file, world }), `${transport}, order ${order}`).toMatchObject({
          verdict: 'FIXED',
        });
      }
  });

  it('under one key may share a failure, which the history then has once', async () => {
    const body = { recipient: '${ann}', amount: 0.00044544, token: 'SOL' };
    const keyed = { ...PAY, with: { body, key: 'k' } } as unknown as typeof PAY;
    const transfers = [{ to: '${treasury}', token: 'SOL', amount: 30 }];
    const sol = [
      { id: 4, do: 'send', by: 'ann', with: { transfers } },
      {
        id: 5,
        do: 'deposit',
        by: 'ann',
        with: { body: { amount: 30, token: 'SOL', tx_signature: '${s4.signature}' } },
      },
    ];
    for (let order = 0; order < 8; order += 1) {
      const after = { id: 7, do: 'transactions', by: 'ann', with: {} };
      const steps = [...sol, overlap(6, [keyed, keyed], order), after];
      expect(await played(steps), `order ${order}`).toEqual({ verdict: 'FIXED', failure: null });
    }
  });

  describe.each([0, 1_000])('in turns at their transfers, which begin in orders from %i on,', (first) => {
    const SOL: readonly Step[] = [
      {
        id: 4,
        do: 'send',
        by: 'ann',
        with: { transfers: [{ to: '${treasury}', token: 'SOL', amount: 30 }] },
      },
      {
        id: 5,
        do: 'deposit',
        by: 'ann',
        with: { body: { amount: 30, token: 'SOL', tx_signature: '${s4.signature}' } },
      },
    ];
    const AFTER: readonly Step[] = [
      { id: 7, do: 'account', by: 'ann', with: {} },
      { id: 8, do: 'transactions', by: 'ann', with: {} },
      { id: 9, do: 'x402Pay', by: 'ann', with: { ...PAY.with, key: 'ü' } },
      { id: 10, do: 'transactions', by: 'ann', with: {} },
    ];
    const pay = (recipient: string, amount: number, key?: string) => ({
      do: 'x402Pay',
      by: 'ann',
      with: { body: { recipient, amount, token: 'SOL' }, ...(key === undefined ? {} : { key }) },
    });
    const STRANGER = 'cGfHiC6Kgg3FpFZvgwGcswsCRtp4aBP2fzuXRQPizuN';
    const keyed = pay(STRANGER, 0.000890879, 'ü');
    const saving = {
      do: 'savingsWithdraw',
      by: 'ann',
      with: { body: { amount: 1, token: 'USDC' }, key: 'ü' },
    };
    const withdrawal = {
      do: 'withdraw',
      by: 'ann',
      with: { body: { amount: 0.0005, token: 'SOL', destination: STRANGER } },
    };
    const account = { do: 'account', by: 'ann', with: {} };
    const request = { do: 'x402Request', by: 'ann', with: { query: { amount: '0.0001', token: 'SOL' } } };
    const CALLS: Readonly<Record<string, readonly object[]>> = {
      'the second of two payments makes the first possible': [pay('${ann}', 4e-7), pay('${ann}', 1)],
      'a payment fails while others are reserved': [PAY, pay('${ann}', 0.0003), pay(STRANGER, 10)],
      'two payments fail that cannot both be paid': [
        pay(STRANGER, 0.0008),
        pay(STRANGER, 0.0007),
        pay(STRANGER, 29.9995),
      ],
      'equal calls and another have one key': [keyed, saving, keyed],
      'calls with one key all differ': [keyed, saving, pay(STRANGER, 1, 'ü')],
      'a withdrawal and a payment open the same address': [withdrawal, pay(STRANGER, 1), account],
      'requests and a payment make one address ready': [request, request, pay('${ann}', 0.0002)],
    };
    it.each(Object.keys(CALLS))('are explained: %s', async (name) => {
      const calls = CALLS[name] as Step['with'][string];
      for (let order = first; order < first + 40; order += 1) {
        const steps = [...SOL, { id: 6, do: 'overlap', with: { calls, order } }, ...AFTER];
        expect(await played(steps), `order ${order}`).toEqual({ verdict: 'FIXED', failure: null });
      }
    });
  });

  it('have their transfers in flight at the same time', async () => {
    const { world, player } = await funded();
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
    const call = {
      operation: 'x402Pay',
      authorization: `Bearer ${player.memory.tokens.get('ann')?.text ?? ''}`,
      params: {},
      query: {},
      key: null,
      body: { recipient: player.address('ben'), amount: 1, token: 'USDC' },
    } as const;
    const answers = await Promise.all([world.call(call, null), world.call(call, null)]);
    expect(answers.map((answer) => answer?.status)).toEqual([200, 200]);
    expect(most).toBe(2);
    await world.close();
  });

  it('are a counterexample when no serial order explains their responses', async () => {
    const { world, player, options } = await funded();
    // A transfer that the model does not know of.
    const authorization = `Bearer ${player.memory.tokens.get('ann')?.text ?? ''}`;
    const body = { amount: 1_000, token: 'USDC' };
    await world.call(
      { operation: 'savingsDeposit', authorization, params: {}, query: {}, key: null, body },
      null,
    );
    const large = { ...PAY, with: { body: { ...PAY.with.body, amount: 600 } } };
    const failure = await playSequence([overlap(4, [large, PAY], 1)], { runner: player, options });
    expect(failure?.text).toMatch(
      /^no order of the overlapping calls explains their responses\. x402Pay, x402Pay: /,
    );
    await world.close();
  });
});
