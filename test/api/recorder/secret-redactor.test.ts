import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import { OPEN } from '../../../src/api/recorder/call-line.js';
import { SecretRedactor } from '../../../src/api/recorder/secret-redactor.js';

const KEY = '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzXUvKd2U4xEJ5aHaTBLZGyhbz';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWl0';
const CHALLENGE = 'agent-bank-sim wants you to sign in\nWallet: x';
const UUID = '6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b';

const BYTES = bs58.decode(KEY);
const LIST = `[${BYTES.join(',')}]`;

/** The text with an unnecessary JSON escape. */
const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}`;

/** The text with its escapes decoded. */
const unescaped = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The JSON text with its decoded strings and lists. */
function allOf(json: string): string {
  const said = [json];
  JSON.parse(json, (name, value: unknown) => {
    said.push(name);
    // A text may hold JSON, too.
    if (typeof value === 'string') said.push(value, unescaped(value));
    else if (typeof value === 'object' && value !== null) said.push(`[${Object.values(value).join(',')}]`);
    return value;
  });
  return said.join('\n');
}

describe('redaction of secrets', () => {
  it('names tokens and challenges from the response that issues them, and secret keys alike', () => {
    const secrets = new SecretRedactor([KEY]);
    expect(secrets.redactRequest(JSON.stringify({ token: JWT }))).toBe('{"token":"<token>"}');
    expect(
      secrets.redactResponse(
        JSON.stringify({ token: JWT, challenge: CHALLENGE, memo: `"${JWT}" is mine`, secretKey: 'a "b"' }),
      ),
    ).toBe(
      JSON.stringify({
        token: '<token-1>',
        challenge: '<challenge-1>',
        memo: '"<token>" is mine',
        secretKey: '<secret>',
      }),
    );
    expect(
      secrets.redactRequest(
        JSON.stringify([JWT, CHALLENGE, `see ${JWT}`, KEY, { secretKey: [KEY], s: 'secretKey' }]),
      ),
    ).toBe(
      JSON.stringify([
        '<token-1>',
        '<challenge-1>',
        'see <token>',
        '<secret>',
        { secretKey: ['<secret>'], s: 'secretKey' },
      ]),
    );
    expect([secrets.ofToken(JWT), secrets.tokens]).toEqual(['<token-1>', 1]);
  });

  it('leaves all other text unchanged', () => {
    const json = JSON.stringify({ id: UUID, n: 0.000001, key: KEY, text: 'a <b> "c"', at: 'req_00000007' });
    const secrets = new SecretRedactor([]);
    expect([secrets.redactResponse(json), secrets.redactRequest(json)]).toEqual([json, json]);
  });

  it('covers secret keys of earlier responses, in any form', () => {
    const secrets = new SecretRedactor([]);
    const body = JSON.stringify({ privateKey: KEY });
    expect(secrets.redactRequest(body)).toBe(body);
    secrets.redactResponse(JSON.stringify({ wallets: [{ address: 'x', secretKey: KEY }] }));
    expect(secrets.redactRequest(body)).toBe('{"privateKey":"<secret>"}');
    expect(secrets.redactRequest(JSON.stringify(`a ${KEY}`))).toBe('"a <secret>"');
    expect(secrets.redactRequest(`{"a":${LIST}}`)).toBe('{"a":["<secret>"]}');
    expect(secrets.redactRequest(JSON.stringify({ key: Object.assign({}, [...BYTES]) }))).toBe(
      '{"key":{"0":"<secret>"}}',
    );
  });

  it('leaves numbers, spaces and duplicate members unchanged, also beside a secret', () => {
    const json = `{ "a" : 1.50, "a":1e400, "b":"\\u00e9", "t" : "${JWT}", "l":[1, 2,3] }`;
    expect(new SecretRedactor([]).redactRequest(json)).toBe(json.replace(JWT, '<token>'));
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
      `{"t":"${escaped(JWT)}`,
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
    const isOpen = (json: string) => [JWT, KEY, LIST].some((each) => allOf(json).includes(each));
    fc.assert(
      fc.property(tree, fc.boolean(), fc.boolean(), (body, isTold, isEscaped) => {
        const secrets = new SecretRedactor([KEY]);
        const plain = JSON.stringify(body);
        // The same JSON with unnecessary escapes.
        const json = isEscaped ? plain.replace(/eyJ|secretKey|4hXT/g, escaped) : plain;
        expect(JSON.parse(json)).toEqual(JSON.parse(plain));
        const hidden = isTold ? secrets.redactResponse(json) : secrets.redactRequest(json);
        expect(isOpen(hidden)).toBe(false);
        expect(() => JSON.parse(hidden) as unknown).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['eyJ', 'eyJaaaaaaaa.', '"63":1  ', '{"1":1 , ', 'secretKey ', '[1', '\\u0065', 'A', '.', '<'])(
    'takes less than three seconds for a long text of %j',
    (part) => {
      const text = part.repeat(300_000 / part.length);
      const from = performance.now();
      new SecretRedactor([KEY]).redactRequest(JSON.stringify({ text, more: [text] }));
      expect(performance.now() - from).toBeLessThan(3_000);
    },
  );

  it('skips only responses whose strings come from the bank and the chain', () => {
    const table = endpoints(DEFAULT_VARIANTS);
    const words = new Set<string>();
    const walk = (schema: unknown, name: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { type, enum: values, const: only } = schema as Record<string, unknown>;
      if (type === 'string' && values === undefined && only === undefined) words.add(name);
      for (const [member, value] of Object.entries(schema)) walk(value, member);
    };
    for (const operation of OPEN)
      walk(z.toJSONSchema(table[operation].response, { unrepresentable: 'any' }), operation);
    expect([...words].toSorted()).toEqual([
      'apy',
      'created_at',
      'destination',
      'id',
      'protocol',
      'recipient',
      'sender',
      'tx_signature',
      'wallet',
    ]);
  });
});
