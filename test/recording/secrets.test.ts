import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../src/domain/variants.js';
import { OPEN } from '../../src/recording/call-line.js';
import { Secrets } from '../../src/recording/secrets.js';

const KEY = '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzXUvKd2U4xEJ5aHaTBLZGyhbz';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWl0';
const CHALLENGE = 'agent-bank-sim wants you to sign in\nWallet: x';
const UUID = '6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b';

describe('secrets of a recording', () => {
  it('have names: tokens and challenges their own, from the answer that tells them, and secret keys one', () => {
    const secrets = new Secrets([KEY]);
    expect(secrets.asked(JSON.stringify({ token: JWT }))).toBe('{"token":"<token>"}');
    expect(
      secrets.told(
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
      secrets.asked(
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
    expect([secrets.ofToken(JWT), secrets.ofChallenge(CHALLENGE), secrets.tokens]).toEqual([
      '<token-1>',
      '<challenge-1>',
      1,
    ]);
  });

  it('leave everything else as it was sent and told', () => {
    const json = JSON.stringify({ id: UUID, n: 0.000001, key: KEY, text: 'a <b> "c"', at: 'req_00000007' });
    const secrets = new Secrets([]);
    expect([secrets.told(json), secrets.asked(json)]).toEqual([json, json]);
  });

  it('are found wherever they stand', () => {
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
    const token = fc.constantFrom(`see ${JWT}`, `token=${JWT}`, `${JWT}.more`, `"${JWT}"`, `é\n${JWT}`);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        secret,
        harmless,
        token,
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
    const isOpen = (json: string) => json.includes(JWT) || json.includes(KEY);
    fc.assert(
      fc.property(tree, fc.boolean(), (body, isTold) => {
        const secrets = new Secrets([KEY]);
        const json = JSON.stringify(body);
        const hidden = isTold ? secrets.told(json) : secrets.asked(json);
        expect(isOpen(hidden)).toBe(false);
        expect(() => JSON.parse(hidden) as unknown).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it('are looked for in all answers but those whose strings come from the bank and the chain', () => {
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
