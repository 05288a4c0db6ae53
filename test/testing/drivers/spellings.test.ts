import { expect, it } from 'vitest';
import { SPELLINGS } from '../../../src/testing/fuzz/model/types.js';
import { spelledBody, spelledHeaders } from '../../../src/testing/drivers/spellings.js';

const BODY = {
  amount: 1.5,
  token: 'USDC',
  whole: 1_000,
  small: 1e-7,
  list: [1, { a: null }],
  memo: 'ü "q"\n',
};

/** `infinite` is about a value that only a text of JSON can hold. */
const OTHERS = SPELLINGS.filter((spelling) => spelling !== 'infinite');

it.each(OTHERS)('a body has the same meaning in another spelling: %s', (spelling) => {
  const text = spelledBody(BODY, spelling);
  expect(JSON.parse(text.replace(/^\uFEFF/, ''))).toEqual(BODY);
  if (spelling !== 'headers') expect(text).not.toBe(JSON.stringify(BODY));
});

it('an infinite amount is a number that no JSON parser can hold', () => {
  const text = spelledBody({ amount: Infinity, token: 'USDC' }, 'infinite');
  expect(text).toBe('{"amount":1e999,"token":"USDC"}');
  expect(JSON.parse(text)).toEqual({ amount: Infinity, token: 'USDC' });
});

it('headers have the same meaning in other cases and with spaces around', () => {
  const spelled = spelledHeaders({ authorization: 'Bearer x', 'idempotency-key': 'k' }, 'headers');
  const headers = new Headers(spelled);
  expect(headers.get('authorization')).toBe('Bearer x');
  expect(headers.get('idempotency-key')).toBe('k');
  expect(Object.keys(spelled)).not.toContain('authorization');
});
