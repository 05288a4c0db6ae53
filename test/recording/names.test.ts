import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../src/contract/endpoints.js';
import { amountOf } from '../../src/domain/money.js';
import { DEFAULT_VARIANTS } from '../../src/domain/variants.js';
import { NAMELESS } from '../../src/recording/call-line.js';
import { Bindings } from '../../src/recording/bindings.js';
import { Names } from '../../src/recording/names.js';
import { takesPart } from '../../src/recording/rpc-line.js';

const UUID = '6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b';
const SIGNATURE = '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzXUvKd2U4xEJ5aHaTBLZGyhbz';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWl0';
const ADDRESS = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('names of a recording', () => {
  it('are given by answers, and stand in what is sent afterwards', () => {
    const names = new Names([]);
    expect(names.asked(JSON.stringify({ id: UUID }))).toBe(JSON.stringify({ id: UUID }));
    expect(names.told(JSON.stringify({ id: UUID, tx: SIGNATURE, to: ADDRESS, amount: 1 }))).toBe(
      JSON.stringify({ id: '<id-1>', tx: '<signature-1>', to: ADDRESS, amount: 1 }),
    );
    expect(names.asked(JSON.stringify([UUID, SIGNATURE]))).toBe(JSON.stringify(['<id-1>', '<signature-1>']));
  });

  it('stand for every token, wherever it is, and for secret keys', () => {
    const names = new Names([[SIGNATURE, '<secret>']]);
    const told = names.told(
      JSON.stringify({ token: JWT, memo: `"${JWT}" is mine`, secretKey: 'any "thing"' }),
    );
    expect(told).toBe(
      JSON.stringify({ token: '<token-1>', memo: '"<token>" is mine', secretKey: '<secret>' }),
    );
    expect(names.asked(JSON.stringify({ memo: `see ${JWT}`, text: SIGNATURE }))).toBe(
      JSON.stringify({ memo: 'see <token>', text: '<secret>' }),
    );
  });

  it('are told apart from texts that look like them, and become again what they were', () => {
    const names = new Names([]);
    const texts = ['<id-1>', '<<b', 'a "<b>" c', '\\"<', `"${UUID}"`, 'req_00000007', '<'];
    const named = JSON.parse(names.asked(JSON.stringify(texts))) as unknown;
    const again = new Bindings().value(named) as string[];
    expect(again.with(5, 'req_00000007')).toEqual(texts);
  });

  it('keep members of any name', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"<x":2}') as unknown;
    const named = JSON.parse(new Names([]).asked(JSON.stringify(value))) as unknown;
    expect(JSON.stringify(new Bindings().value(named))).toBe(JSON.stringify(value));
  });
});

describe('names of an answer whose body is at hand', () => {
  const strings = fc.oneof(
    fc.constantFrom(
      UUID,
      SIGNATURE,
      JWT,
      ADDRESS,
      'req_00000007',
      'snapshot-3',
      'fault-12',
      '<id-1>',
      '<<b',
      '',
    ),
    fc.constantFrom(
      `see ${JWT}`,
      `token=${JWT}`,
      `${JWT}.more`,
      `"${UUID}"`,
      `a "${UUID}`,
      'completed',
      'usdc',
      '2026-01-01T00:00:00.000Z',
      '1.7%',
    ),
    fc.constantFrom('loan_0123456789abcdef01234567', 'agent-bank-sim wants you to sign in\nWallet: x'),
    fc.uuid({ version: 4 }),
    fc.string({ maxLength: 40 }),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      strings,
      fc.integer(),
      fc.constantFrom(null, true),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('tree'), { maxLength: 3 }),
    object: fc.dictionary(fc.oneof(strings, fc.constantFrom('id', 'secretKey', 'amount')), tie('tree'), {
      maxKeys: 4,
    }),
  }));

  it('are those of its text', () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (bodies) => {
        const [byParts, byText] = [new Names([[ADDRESS, '<issuer>']]), new Names([[ADDRESS, '<issuer>']])];
        for (const body of bodies) {
          const json = JSON.stringify(body);
          expect(byParts.toldOf(body, json)).toBe(byText.told(json));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('leave amounts as they are written', () => {
    const body = { amount: amountOf('USDC', 1_500_000n), id: UUID };
    expect(new Names([]).toldOf(body, JSON.stringify(body))).toBe('{"amount":1.5,"id":"<id-1>"}');
  });

  it('are looked for in all answers but those whose strings are wallets, percents and words of the service', () => {
    const table = endpoints(DEFAULT_VARIANTS);
    const words = new Set<string>();
    const walk = (schema: unknown, name: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ((schema as { type?: unknown }).type === 'string') words.add(name);
      for (const [member, value] of Object.entries(schema)) walk(value, member);
    };
    for (const operation of NAMELESS)
      walk(z.toJSONSchema(table[operation].response, { unrepresentable: 'any' }), operation);
    expect([...words].toSorted()).toEqual(['apy', 'protocol', 'token', 'wallet']);
  });
});

it('calls of the RPC that change the chain are recorded, while there are faults all but those of connections', () => {
  expect(
    ['sendTransaction', 'requestAirdrop', 'getBalance'].map((method) => takesPart(method, false)),
  ).toEqual([true, true, false]);
  expect(['getBalance', 'logsSubscribe', 'logsUnsubscribe'].map((method) => takesPart(method, true))).toEqual(
    [true, false, false],
  );
});
