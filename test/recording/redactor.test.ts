import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../../src/recording/recorder/redactor.js';
import { forAllOf } from '../support/for-all.js';

const KEY = '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzXUvKd2U4xEJ5aHaTBLZGyhbz';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWl0';
const CHALLENGE = 'agent-bank-sim wants you to sign in\nWallet: x';
const UUID = '6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b';

const BYTES = bs58.decode(KEY);
const LIST = `[${BYTES.join(',')}]`;

/** Every string and list of a value, with those of JSON in a text. */
function allOf(value: unknown): string {
  const said: string[] = [];
  JSON.parse(JSON.stringify(value), (name, each: unknown) => {
    said.push(name);
    if (typeof each === 'string') said.push(each);
    else if (typeof each === 'object' && each !== null) said.push(`[${Object.values(each).join(',')}]`);
    return each;
  });
  return said.join('\n');
}

describe('redaction of secrets', () => {
  it('names tokens and challenges from the response that issues them, and secret keys alike', () => {
    const redactor = new Redactor([KEY]);
    expect(redactor.request({ token: JWT })).toEqual({ token: '<token>' });
    const told = { token: JWT, challenge: CHALLENGE, memo: `"${JWT}" is mine`, secretKey: 'a "b"' };
    expect(redactor.response(told)).toEqual({
      token: '<token-1>',
      challenge: '<challenge-1>',
      memo: '"<token>" is mine',
      secretKey: '<secret>',
    });
    const asked = [JWT, CHALLENGE, `see ${JWT}`, KEY, { secretKey: [KEY], s: 'secretKey' }];
    expect(redactor.request(asked)).toEqual([
      '<token-1>',
      '<challenge-1>',
      'see <token>',
      '<secret>',
      { secretKey: ['<secret>'], s: 'secretKey' },
    ]);
  });

  it('names a header by its token, or by what is wrong with it', () => {
    const redactor = new Redactor([]);
    redactor.response({ token: JWT });
    const of = (authorization: string | undefined, who?: string, code?: string) =>
      redactor.authorization(authorization, { who, code });
    expect([of(undefined), of(''), of('Basic x')]).toEqual([undefined, undefined, 'malformed']);
    expect([of(`bearer ${JWT}`, 'dev-0'), of('Bearer x', 'dev-0')]).toEqual([
      '<token-1>',
      '<token of dev-0>',
    ]);
    expect([of('Bearer x'), of('Bearer x', undefined, 'token_expired')]).toEqual(['wrong', 'expired']);
  });

  it('leaves all other values unchanged', () => {
    const value = {
      id: UUID,
      n: 0.000001,
      key: KEY,
      text: 'a <b> "c"',
      at: 'req_00000007',
      list: [1, 2, null],
    };
    const redactor = new Redactor([]);
    expect([redactor.response(value), redactor.request(value)]).toEqual([value, value]);
  });

  it('covers secret keys of earlier responses, in any form', () => {
    const redactor = new Redactor([]);
    const body = { privateKey: KEY };
    expect(redactor.request(body)).toEqual(body);
    redactor.response({ wallets: [{ address: 'x', secretKey: KEY }] });
    expect(redactor.request(body)).toEqual({ privateKey: '<secret>' });
    expect(redactor.request(`a ${KEY}`)).toBe('a <secret>');
    expect(redactor.request({ a: [...BYTES] })).toEqual({ a: ['<secret>'] });
    expect(redactor.request({ a: LIST })).toEqual({ a: '["<secret>"]' });
    expect(redactor.request({ key: Object.assign({}, [...BYTES]) })).toEqual({ key: { 0: '<secret>' } });
  });

  it('finds secrets at any place', () => {
    const secret = fc.constantFrom(JWT, KEY);
    const harmless = fc.constantFrom(
      UUID,
      'completed',
      '<id-1>',
      '<<b',
      '"',
      '\\',
      '\\"<',
      'agent-bank-sim',
      'é',
    );
    const token = fc.constantFrom(
      `see ${JWT}`,
      `token=${JWT}`,
      `${JWT}.more`,
      `"${JWT}"`,
      `é\n${JWT}`,
      `mine is ${KEY}, keep it`,
      `ab${KEY}yz`,
      `{"secretKey":"${KEY}",}`,
      `{"key":${LIST}`,
    );
    const bytes = fc.constantFrom<unknown>([...BYTES], Object.assign({}, [...BYTES]));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        secret,
        harmless,
        token,
        bytes,
        fc.string({ maxLength: 20 }),
        fc.integer(),
        fc.constantFrom(null, true),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(
          fc.oneof(harmless, fc.constantFrom('secretKey', 'token', 'amount'), secret),
          tie('tree'),
          {
            maxKeys: 4,
          },
        ),
      ),
    }));
    forAllOf(2_000, tree, fc.boolean(), (body, isTold) => {
      const redactor = new Redactor([KEY]);
      const all = allOf(isTold ? redactor.response(body) : redactor.request(body));
      expect([JWT, KEY, LIST].filter((each) => all.includes(each))).toEqual([]);
    });
  });

  it.each(['eyJ', 'eyJaaaaaaaa.', '"63":1  ', '{"1":1 , ', 'secretKey ', '[1', '\\u0065', 'A', '.', '<'])(
    'takes less than three seconds for a long text of %j',
    (part) => {
      const text = part.repeat(300_000 / part.length);
      const from = performance.now();
      new Redactor([KEY]).request({ text, more: [text] });
      expect(performance.now() - from).toBeLessThan(3_000);
    },
  );
});
