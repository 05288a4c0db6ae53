import { describe, expect, it } from 'vitest';
import { AliasBindings, IdAliases } from '../../src/recording/aliases.js';
import { isRpcCallRecorded } from '../../src/recording/recorder/lines.js';
import { Redactor } from '../../src/recording/recorder/redactor.js';

const UUID = '6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b';
const SIGNATURE = '4hXTCkRzt9WyecNzV1XPgCDfGAZzQKNxLXgynz5QDuWWPSAZBZSHptvWRL3BjCvzXUvKd2U4xEJ5aHaTBLZGyhbz';
const ADDRESS = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const PAYMENT = 'e'.repeat(120);

/** A value as it stands in a recording, with names. */
function read(names: IdAliases, how: 'Request' | 'Response', value: unknown): unknown {
  const redactor = new Redactor([]);
  return how === 'Request'
    ? names.aliasRequest(redactor.request(value))
    : names.aliasResponse(redactor.response(value));
}

describe('alias of an id in a recording', () => {
  it('is given by a response and replaces the id in later requests', () => {
    const names = new IdAliases([]);
    expect(names.aliasRequest({ id: UUID })).toEqual({ id: UUID });
    for (const [value, alias] of [
      [UUID, '<id-1>'],
      [SIGNATURE, '<signature-1>'],
      [ADDRESS, ADDRESS],
      [1, 1],
      ['loan_0123456789abcdef01234567', '<id-2>'],
      [PAYMENT, '<text-1>'],
    ])
      expect(names.aliasResponse({ value })).toEqual({ value: alias });
    expect(names.aliasRequest([UUID, SIGNATURE, { [UUID]: PAYMENT }])).toEqual([
      '<id-1>',
      '<signature-1>',
      { '<id-1>': '<text-1>' },
    ]);
  });

  it('is given for short ids, and one alias for all request ids', () => {
    const names = new IdAliases([[ADDRESS, '<issuer>']]);
    expect(
      names.aliasResponse(['snapshot-3', 'fault-12', 'fork-1', 'req_00000007', 'ctl_00000008', ADDRESS]),
    ).toEqual(['<id-1>', '<id-2>', '<id-3>', '<request>', '<request>', '<issuer>']);
    expect(names.aliasRequest(['fault-12', 'rpc_00000001'])).toEqual(['<id-2>', '<request>']);
    const others = ['usdc-2', '2026-01-01', 'a_1'];
    expect(names.aliasRequest(others)).toEqual(others);
  });

  it('is distinct from similar text and resolves to the original', () => {
    const texts = ['<id-1>', '<<b', 'a "<b>" c', '\\"<', `"${UUID}"`, 'req_00000007', '<', '<fault-1'];
    const again = new AliasBindings().value(read(new IdAliases([]), 'Request', texts)) as string[];
    expect(again.with(5, 'req_00000007')).toEqual(texts);
  });

  it('preserves members of any name', () => {
    const text = `{"__proto__":{"a":1},"<x":2,"${UUID}":{"__proto__":3}}`;
    const named = read(new IdAliases([]), 'Request', JSON.parse(text) as unknown);
    expect(JSON.stringify(new AliasBindings().value(named))).toBe(text);
  });
});

it('RPC calls that change the chain are recorded, and under faults all except subscriptions', () => {
  expect(
    ['sendTransaction', 'requestAirdrop', 'getBalance'].map((method) => isRpcCallRecorded(method, false)),
  ).toEqual([true, true, false]);
  expect(
    ['getBalance', 'logsSubscribe', 'logsUnsubscribe'].map((method) => isRpcCallRecorded(method, true)),
  ).toEqual([true, false, false]);
});
