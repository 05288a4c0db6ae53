import { expect, it } from 'vitest';
import { type Deviation, deviationKind, deviationText } from '../../src/testing/fuzz/model/difference.js';

const refusal = { status: 400, body: { code: 'invalid_request', details: {} } };
const taken: Deviation = {
  kind: 'status',
  expected: { status: 400, code: 'insufficient_balance' },
  actual: { status: 200, body: {} },
};
const IDS = 'loan_0a1b2c3d4e5f60718293a4b5 of 8dHEsm9aLjEPPN1gXqnFQ5hRsbfCvHE3rNxu4jVZ3zWp is loan_not_found';

const DEVIATIONS: readonly Deviation[] = [
  { kind: 'body', path: ['loans', 0, 'apr'], expected: { value: 0.5 }, actual: undefined },
  { kind: 'body', path: [], expected: { words: 'an object' }, actual: 'x'.repeat(400) },
  { kind: 'body', path: ['code'], expected: { value: 'not_found' }, actual: 'invalid_request' },
  { kind: 'status', expected: { status: 404, code: 'loan_not_found' }, actual: refusal },
  taken,
  { kind: 'answered', status: null },
  { kind: 'answered', status: 200 },
  { kind: 'unanswered' },
  { kind: 'chain', agent: 'ann', token: 'SOL', expected: 5n, actual: 4n },
  { kind: 'invariant', rule: 'journal.zero', text: 'the sum of USDC is 17' },
  {
    kind: 'overlap',
    tried: [
      { operations: ['account', 'withdraw'], operation: 'account', at: 0, deviation: { kind: 'unanswered' } },
      { operations: ['withdraw', 'account'], operation: 'account', at: 1, deviation: taken },
    ],
  },
  { kind: 'exception', message: 'no loan loan_0a1b2c3d4e5f60718293a4b5 at 17\n  at x' },
  IDS,
  '17 waves, none of them back',
];

it('what users see of a deviation from the model, in a failure and as its kind, is as it was', async () => {
  const told = DEVIATIONS.map((each) => `${deviationText(each)}\n=> ${deviationKind(each)}\n`);
  await expect(told.join('\n')).toMatchFileSnapshot('outputs/fuzz-deviations.txt');
});
