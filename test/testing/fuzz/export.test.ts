import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS, type Command, type Step, campaign } from '../../../src/testing/fuzz-library.js';
import { byVerb } from '../../../src/testing/fuzz/commands/command.js';
import { otherUsdc } from '../../../src/testing/fuzz/commands/operator.js';
import { opening } from '../../../src/testing/fuzz/play/replay.js';
import { played } from '../scenario/played.js';
import { httpServer } from '../../../src/testing/drivers/http-server.js';
import { type Unnumbered, advance, ann, by, call, operator, overlap } from './steps.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import {
  NEXT,
  afterOpening,
  contradicted,
  exported,
  failureWith,
  faultsOf,
  playedTroubles,
} from './export-support.js';

const of = (step: number, what: string) => `\${s${NEXT + step}.${what}}`;
const toTreasury = (amount: number, token = 'USDC') => ({ to: '${treasury}', token, amount });
const APPLY = call('loanApply', { amount: 200, purpose: 'task', duration_days: 7 });

const PAYMENT = { recipient: '${ben}', amount: 1, token: 'USDC' };
const TRANSFER = call('x402Pay', PAYMENT);

/** Commands that a scenario has no verb for. */
const UNSAID = ['drain', 'kill', 'overlap', 'reload', 'twin'];

/** Counterexamples written by hand, by topic. */
const SEQUENCES: Readonly<Record<string, readonly Unnumbered[]>> = {
  'what an operator does': [
    operator('review.policy', { policy: 'auto' }),
    operator('control', { do: 'reviewPolicy' }),
    operator('balance.set', { to: '${ann}', sol: 2.5 }),
    operator('faucet.give', { to: '${ann.collection}', usdc: 2.5 }),
    call('x402Receive', { tx_signature: of(3, 'signature') }),
    otherUsdc('${treasury}', 1, DEFAULT_VARIANTS),
    call('deposit', { amount: 1, token: 'USDC', tx_signature: of(5, 'signature') }),
    operator('faucet.give', { to: '${cem.collection}', sol: 0.000000001, usdc: 1 }),
    operator('oracle.set', { usdc: ' 0.29 %' }),
    operator('oracle.set', { solUsd: 33.33333333, from: '2026-01-01T13:00:00.000Z' }),
    operator('oracle.set', { usdcUsd: 0.99, in: '1h' }),
    operator('oracle', { state: 'out' }),
    call('withdraw', { amount: 1, token: 'SOL' }),
    operator('oracle', { state: 'stale' }),
    ann('yieldRates'),
    operator('oracle', { state: 'fresh' }),
    APPLY,
    advance('59m59s'),
    ann('account'),
  ],
  'a revert': [
    operator('snapshot', {}),
    call('withdraw', { amount: 100, token: 'USDC' }),
    ann('signIn'),
    { do: 'revert', with: { to: `\${s${NEXT}.snapshot}` } },
    call('withdraw', { amount: 3_000, token: 'USDC' }),
    ann('account'),
  ],
  'reads of the account, and money in and out': [
    ann('onboard'),
    ann('profile'),
    ann('loans'),
    ann('eligibility', { query: { amount: '50' } }),
    call('savingsDeposit', { amount: 10, token: 'USDC' }),
    call('savingsWithdraw', { amount: 5, token: 'USDC' }),
    call('collateralBorrow', { amount: 100 }),
    call('collateralRepay', { amount: 1 }),
    ann('withdraw', { body: { amount: 900.000001, token: 'USDC', destination: '${ben}' } }),
    ann('transactions', { query: { limit: '2' } }),
  ],
  'payment request and payment': [
    by('ben', 'x402Request', { query: { amount: '2.5', token: 'USDC' } }),
    ann('x402Pay', {
      body: { recipient: '${ben}', amount: 2.5, token: 'USDC', payment_request: of(0, 'header') },
    }),
    by('ben', 'x402Receive', { body: { tx_signature: of(1, 'signature') } }),
    by('ben', 'x402Receive', { body: { tx_signature: of(1, 'signature') } }),
  ],
  'operator actions on a loan': [
    ann('identity.link', { of: '${ann}', x: true, github: true }),
    APPLY,
    operator('review.approve', { loan: of(1, 'loan') }),
    ann('loan', { params: { id: of(1, 'loan') } }),
    ann('send', { transfers: [toTreasury(50)] }),
    ann('loanRepay', {
      params: { id: of(1, 'loan') },
      body: { amount: 50, tx_signature: of(4, 'signature') },
    }),
    by('ben', 'loan', { params: { id: of(1, 'loan') } }),
    operator('loan.overdue', { loan: of(1, 'loan'), reason: 'late' }),
    operator('loan.default', { loan: of(1, 'loan') }),
    operator('loan.pay', { loan: of(1, 'loan'), amount: 25 }),
    operator('loan.cure', { loan: of(1, 'loan'), dueDate: '2026-01-01T12:00:00.000Z' }),
    operator('loan.cure', { loan: of(1, 'loan'), forgive: true }),
    operator('review.deny', { loan: of(1, 'loan') }),
  ],
  'malformed bodies': [
    ...[null, 7, true, 'text', [], {}, [1], { amount: '5', token: 'USDC' }, { token: 'USDC' }].map((body) =>
      ann('withdraw', { body }),
    ),
    ann('withdraw', {}),
    call('deposit', { amount: 5, token: 'USDC' }),
    call('challenge', {}),
    call('savingsDeposit', { amount: 1, token: 'USDC', note: 'beside', expect: 1 }),
    ann('x402Pay', {
      body: { recipient: '${ben}', amount: 1, token: 'USDC', memo: '${no reference} ü 🙂 \n"' },
    }),
    ...['${', '$${no reference}', '$', '${nobody} pays'].map((memo) =>
      ann('x402Pay', { body: { recipient: '${ben}', amount: 1, token: 'USDC', memo, '${ann}': memo } }),
    ),
    ann('x402Pay', { body: { recipient: '${ben}', amount: 1, token: 'USDC', ['__proto__']: '${x}' } }),
    ann('loanRepay', { params: { id: 'loan_of_nobody' }, body: { id: 'x', amount: 1 } }),
    ann('transactions', { query: { limit: '${no reference}' } }),
  ],
  'missing, foreign and expired tokens, and wrong responses to challenges': [
    ann('account', { auth: 'none' }),
    ann('account', { auth: 'Bearer ${ben.token}' }),
    ann('signIn'),
    ann('account', { auth: 'Bearer ${s2.token}' }),
    by('cem', 'account'),
    ann('challenge', { body: { wallet: '${ann}' } }),
    by('ben', 'verify', { wallet: '${ann}', message: of(5, 'challenge') }),
    ann('verify', { wallet: '${ann}', message: of(5, 'challenge'), signature: '${flipped.signature}' }),
    ann('verify', { wallet: '${ann}', message: `${of(5, 'challenge')}2` }),
    ann('verify', { wallet: '${ann}', message: of(5, 'challenge') }),
    by('ben', 'signIn'),
    by('ben', 'verify', { wallet: '${ben}', message: of(10, 'challenge') }),
    by('ben', 'verify', { wallet: '${ben}', message: '${none.challenge}' }),
    advance('1d'),
    by('ben', 'account'),
  ],
  'repeated Idempotency-Keys': [
    ann('withdraw', { body: { amount: 1, token: 'USDC' }, key: 'k1' }),
    ann('withdraw', { body: { amount: 1, token: 'USDC' }, key: 'k1' }),
    ann('withdraw', { body: { amount: 2, token: 'USDC' }, key: 'k1' }),
    ann('withdraw', { body: { amount: 2, token: 'USDC' }, key: 'ü' }),
    ann('withdraw', { body: { amount: 2, token: 'USDC' }, key: 'k'.repeat(256) }),
  ],
  'transactions of all kinds': [
    ann('send', {
      transfers: [toTreasury(1), toTreasury(2, 'SOL'), { ...toTreasury(3), to: '${ben}' }],
    }),
    call('deposit', { amount: 1, token: 'USDC', tx_signature: of(0, 'signature') }),
    ann('send', { transfers: [toTreasury(5, 'other')] }),
    call('deposit', { amount: 5, token: 'USDC', tx_signature: of(2, 'signature') }),
    ann('send', { transfers: [toTreasury(0.5, 'wrapped')], cosigners: ['ben'] }),
    ann('allow', { delegate: '${ben}', amount: 100 }),
    by('ben', 'send', { transfers: [{ ...toTreasury(40), of: '${ann}' }] }),
    by('ben', 'deposit', { body: { amount: 40, token: 'USDC', tx_signature: of(6, 'signature') } }),
    ann('send', { transfers: [toTreasury(5_000_000)] }),
    call('deposit', { amount: 5, token: 'USDC', tx_signature: of(8, 'signature') }),
    ann('send', { transfers: [{ ...toTreasury(6), to: '${ben.collection}' }] }),
    by('ben', 'x402Receive', { body: { tx_signature: of(10, 'signature') } }),
    by('ben', 'deposit', { body: { amount: 6, token: 'USDC', tx_signature: '${s99.signature}' } }),
  ],
  mishaps: [
    ann('withdraw', { body: { amount: 1, token: 'USDC' }, mishap: 'chain-unavailable' }),
    ann('withdraw', { body: { amount: 1, token: 'USDC' }, mishap: 'drop-connection' }),
    ann('yieldRates', { mishap: 'oracle-outage' }),
    ann('account'),
    ann('withdraw', { body: { amount: 999, token: 'USDC' }, mishap: 'lose-response' }),
    call('withdraw', { amount: 2, token: 'USDC' }),
  ],
};

/** Sequences that a campaign draws, each from the world's beginning. */
async function drawn(property: string, runs: number): Promise<Step[][]> {
  const sequences: Step[][] = [[]];
  await campaign({
    runs,
    property,
    agents: 2,
    seed: 23,
    steps: 40,
    weights: Object.fromEntries(UNSAID.map((name) => [name, 0])),
    rules: [
      (_runner, step) => {
        sequences.at(-1)?.push(step);
        return null;
      },
    ],
    // The opening is played once.
    onProgress: () => void sequences.push([...opening(['ann', 'ben'])]),
  });
  return sequences.slice(0, -1);
}

describe('counterexample exported as a scenario', () => {
  it.each(Object.entries(SEQUENCES))(
    'passes with right expectations and fails with contradicted ones: %s',
    async (_about, steps) => {
      const text = await exported(failureWith(afterOpening(...steps)));
      expect(faultsOf(text)).toBeNull();
      expect(await playedTroubles(text), text).toEqual([]);
      expect(await playedTroubles(contradicted(text))).not.toEqual([]);
    },
  );

  it('is tested with every command', () => {
    const used = new Set(Object.values(SEQUENCES).flatMap((steps) => steps.map((step) => step.do)));
    const verbs = [...byVerb(COMMANDS).keys()].filter((verb) => !UNSAID.includes(verb));
    expect(verbs.filter((verb) => !used.has(verb))).toEqual([]);
  });

  it('passes over sockets', async () => {
    const steps = [...(SEQUENCES['transactions of all kinds'] ?? []), ...(SEQUENCES['mishaps'] ?? [])];
    const text = await exported(failureWith(afterOpening(...steps)));
    expect(await playedTroubles(text, { target: httpServer })).toEqual([]);
  });

  it.each([
    // Some need a padded request, an infinite number, a challenge whose last character is another, or a score after the other network's USDC.
    ['everything', 17, 11],
    ['sign-in', 9, 8],
  ])(
    'passes for sequences that a campaign for %s draws',
    { tags: ['slow'] },
    async (property, runs, least) => {
      const sequences = await drawn(property, runs);
      expect(sequences).toHaveLength(runs);
      const texts = await Promise.all(sequences.map((steps) => exported(failureWith(steps))));
      const said = texts.filter((text) => text !== '');
      expect(said.length).toBeGreaterThanOrEqual(least);
      for (const text of said) {
        expect(faultsOf(text)).toBeNull();
        expect(await playedTroubles(text), text).toEqual([]);
      }
    },
  );

  it('sends the same request bodies as the fuzzer', async () => {
    const memos = ['${nobody} pays', '$${no reference}', 'ü 🙂 "', '${'];
    const body = (memo: string) => ({ recipient: '${ben}', amount: 1, token: 'USDC', memo, '${ann}': 1 });
    const steps = afterOpening(...memos.map((memo) => ann('x402Pay', { body: body(memo) })));
    const { steps: results } = await played(await exported(failureWith(steps)));
    const sent = results.flatMap(({ exchanges }) => exchanges.map(({ requestBody }) => requestBody));
    for (const memo of memos) expect(sent).toContainEqual(expect.objectContaining({ memo, '${ann}': 1 }));
  });

  it.each([
    ['a header with other characters', call('x402Pay', PAYMENT, { key: 'Ω' })],
    ['a custom command', operator('own')],
    ['a reference behind a dollar', call('x402Pay', { ...PAYMENT, memo: '$${ben}' })],
    ['a padded request', call('x402Pay', PAYMENT, { spelling: 'overfull' })],
    ['a snapshot that does not exist', operator('revert', { to: '${s99.snapshot}' })],
    ['a state file', operator('reload')],
    ['the key of the treasury', operator('drain', { token: 'USDC', left: 0 })],
    ['overlapping calls', overlap([TRANSFER, TRANSFER], 1)],
  ])('is none for what a scenario cannot express: %s', async (_what, step) => {
    const own: Command = {
      name: 'own',
      weight: 1,
      draw: () => fc.constant(null),
      play: () => Promise.resolve({ outcome: 'ok', deviation: null }),
    };
    const steps = afterOpening(step, ann('account'));
    expect(await exported(failureWith(steps), { commands: [...COMMANDS, own] })).toBe('');
  });

  it.each([ann('profile'), ann('eligibility', { query: { amount: '50' } }), APPLY])(
    'is none for $do after a transfer of the other USDC, which a transaction of the scenario alone pays',
    async (step) => {
      const other = ann('send', { transfers: [toTreasury(5, 'other')] });
      expect(await exported(failureWith(afterOpening(step, other)))).not.toBe('');
      expect(await exported(failureWith(afterOpening(other, step)))).toBe('');
    },
  );

  it('states its variants, and the engine only when the failure is limited to one', async () => {
    const variants = { withdrawals: 'queued' } as const;
    const at = { engine: 'litesvm', transport: 'http', seed: 'fuzz', variants } as const;
    const steps = afterOpening(call('withdraw', { amount: 1, token: 'USDC' }));
    const both = await exported(failureWith(steps, { world: at }));
    expect(both).toContain('  variants:\n    withdrawals: queued\n');
    expect(both).not.toContain('engine:');
    expect(await playedTroubles(both)).toEqual([]);
    const one = await exported(
      failureWith(steps, { world: at, confirmed: { engine: 'bankrun', failure: null } }),
    );
    expect(one).toContain('  engine: litesvm\n');
  });
});
