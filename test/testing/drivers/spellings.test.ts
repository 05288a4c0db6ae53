import { expect, it } from 'vitest';
import { SPELLINGS } from '../../../src/testing/fuzz/model/types.js';
import { parseDuration, parseInstant } from '../../../src/core/domain/calendar.js';
import { spelledBody, spelledHeaders, spelledJump } from '../../../src/testing/drivers/spellings.js';

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

it('a jump means the same in every notation', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12);
  const { by: seen, to } = { by: new Set<string>(), to: new Set<string>() };
  for (const ms of [0, 1, 999, 1_000, 90_061_001, 31_536_000_000, 700_000_000_123]) {
    for (let shift = 0; shift < 5; shift += 1) {
      const from = nowMs + shift * 1_000;
      const jump = spelledJump(from, ms);
      if ('by' in jump) expect([jump.by, parseDuration(jump.by)]).toEqual([jump.by, ms]);
      else expect([jump.to, parseInstant(jump.to)]).toEqual([jump.to, from + ms]);
      ('by' in jump ? seen : to).add('by' in jump ? jump.by : jump.to);
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([expect.stringMatching(/^P.*S$/), expect.stringMatching(/^\d+y/)]),
  );
  expect([...to].some((text) => text.endsWith('+05:30'))).toBe(true);
  expect(spelledJump(Date.UTC(9999, 11, 31), 86_399_999)).toEqual({ by: '86399999ms' });
});
