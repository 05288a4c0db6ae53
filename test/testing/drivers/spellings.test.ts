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

it.each(SPELLINGS)('a body has the same meaning in another spelling: %s', (spelling) => {
  const text = spelledBody(BODY, spelling);
  expect(JSON.parse(text.replace(/^\uFEFF/, ''))).toEqual(BODY);
  if (spelling !== 'headers') expect(text).not.toBe(JSON.stringify(BODY));
});

it('headers have the same meaning in other cases and with spaces around', () => {
  const spelled = spelledHeaders({ authorization: 'Bearer x', 'idempotency-key': 'k' }, 'headers');
  const headers = new Headers(spelled);
  expect(headers.get('authorization')).toBe('Bearer x');
  expect(headers.get('idempotency-key')).toBe('k');
  expect(Object.keys(spelled)).not.toContain('authorization');
});
