import { describe, expect, it } from 'vitest';
import {
  type Deviation,
  deviationKind,
  deviationText,
} from '../../../../src/testing/fuzz/model/difference.js';

const refusal = { status: 400, body: { code: 'invalid_request', details: {} } };

const IDS = 'loan_0a1b2c3d4e5f60718293a4b5 of 8dHEsm9aLjEPPN1gXqnFQ5hRsbfCvHE3rNxu4jVZ3zWp is loan_not_found';
const OTHER_CODE = 'code: expected "not_found", got "gone"';
const ENDED = 'the connection ended without a response';
const TAKEN = {
  kind: 'status',
  expected: { status: 400, code: 'insufficient_balance' },
  actual: { status: 200, body: {} },
} as const;

/** Deviations with their sentence and their kind, as failure files have them. */
const ROWS: readonly (readonly [Deviation, string, string])[] = [
  [
    { kind: 'body', path: ['loans', 0, 'apr'], expected: { value: 0.5 }, actual: undefined },
    'loans[0].apr: expected 0.5, got nothing',
    'loans[#].apr',
  ],
  [
    { kind: 'body', path: [], expected: { words: 'an object' }, actual: 'x'.repeat(400) },
    `body: expected an object, got "${'x'.repeat(299)}…`,
    'body',
  ],
  [
    { kind: 'body', path: ['code'], expected: { value: 'not_found' }, actual: 'gone' },
    OTHER_CODE,
    OTHER_CODE,
  ],
  [
    { kind: 'status', expected: { status: 404, code: 'loan_not_found' }, actual: refusal },
    'status: expected 404 loan_not_found, got 400 {"code":"invalid_request","details":{}}',
    'status: expected 404 loan_not_found, got 400 invalid_request',
  ],
  [
    TAKEN,
    'status: expected 400 insufficient_balance, got 200 {}',
    'status: expected 400 insufficient_balance, got 200',
  ],
  [{ kind: 'answered', status: null }, 'the response should have been lost', 'the response'],
  [
    { kind: 'answered', status: 200 },
    'the connection should have ended, but the service returned 200',
    'the connection',
  ],
  [{ kind: 'unanswered' }, ENDED, ENDED],
  [
    { kind: 'chain', agent: 'ann', token: 'SOL', expected: 5n, actual: 4n },
    'sent on chain: the wallet of ann should hold 5 base units of SOL but holds 4',
    'sent on chain',
  ],
  [
    { kind: 'invariant', rule: 'journal.zero', text: 'the sum of USDC is 17' },
    'journal.zero: the sum of USDC is 17',
    'journal.zero',
  ],
  [
    {
      kind: 'overlap',
      tried: [
        {
          operations: ['account', 'withdraw'],
          operation: 'account',
          at: 0,
          deviation: { kind: 'unanswered' },
        },
        { operations: ['withdraw', 'account'], operation: 'account', at: 1, deviation: TAKEN },
      ],
    },
    'no order of the overlapping calls explains their responses. account, withdraw: account: the connection ended without a response; withdraw, account: account: status: expected 400 insufficient_balance, got 200 {}',
    'account: status: expected 400 insufficient_balance, got 200',
  ],
  [
    { kind: 'exception', message: 'no loan loan_0a1b2c3d4e5f60718293a4b5 at 17\n  at x' },
    'an exception: no loan loan_0a1b2c3d4e5f60718293a4b5 at 17\n  at x',
    'an exception: no loan # at #',
  ],
  [IDS, IDS, '# of # is loan_not_found'],
  ['17 waves, none of them back', '17 waves, none of them back', '# waves'],
];

describe('deviation from the model', () => {
  it.each(ROWS)('has a sentence and a kind: %#', (deviation, text, kind) => {
    expect(deviationText(deviation)).toBe(text);
    expect(deviationKind(deviation)).toBe(kind);
  });
});
