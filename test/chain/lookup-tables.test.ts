import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/chain/solana/addresses.js';
import type { Account } from '../../src/chain/engine.js';
import { flatten, loadAddresses, originalExecution } from '../../src/chain/lookup-tables.js';
import { type WireTransaction, isWritable, parseTransaction } from '../../src/chain/solana/wire.js';
import { tableAccount } from '../support/lookup-table.js';
import { forAllOf } from '../support/for-all.js';

const address = (kind: number, at: number) =>
  addressOf(Uint8Array.of(kind, at, ...Array.from({ length: 30 }, () => 7)));
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A made-up but well-formed transaction with the given number of keys of each role. */
function transaction(shape: {
  signed: number;
  readonlySigned: number;
  unsigned: number;
  readonlyUnsigned: number;
  writable: number;
  readonly: number;
  picks: readonly number[];
}): WireTransaction {
  const required = shape.signed + shape.readonlySigned;
  const keys = range(required + shape.unsigned + shape.readonlyUnsigned).map((at) => address(1, at));
  const total = keys.length + shape.writable + shape.readonly;
  return {
    bytes: new Uint8Array(0),
    signature: '',
    signatures: range(required).map((at) => new Uint8Array(64).fill(at)),
    message: new Uint8Array(0),
    version: 0,
    requiredSignatures: required,
    readonlySigned: shape.readonlySigned,
    readonlyUnsigned: shape.readonlyUnsigned,
    keys,
    blockhash: address(9, 9),
    blockhashOffset: 0,
    instructions: [
      {
        programIdIndex: keys.length - 1,
        accounts: shape.picks.map((pick) => pick % total),
        data: Uint8Array.of(1, 2),
      },
    ],
    lookups: [{ table: address(8, 0), writable: range(shape.writable), readonly: range(shape.readonly) }],
  };
}

describe('flattened transaction', () => {
  it("keeps each instruction's accounts, their privileges and the required signers", () => {
    const shapes = fc.record({
      signed: fc.integer({ min: 1, max: 3 }),
      readonlySigned: fc.nat(2),
      unsigned: fc.nat(3),
      readonlyUnsigned: fc.integer({ min: 1, max: 3 }),
      writable: fc.nat(4),
      readonly: fc.nat(4),
      picks: fc.array(fc.nat(100), { maxLength: 12 }),
    });
    forAllOf(500, shapes, (shape) => {
      const wire = transaction(shape);
      const loaded = {
        writable: range(shape.writable).map((at) => address(2, at)),
        readonly: range(shape.readonly).map((at) => address(3, at)),
      };
      const all = [...wire.keys, ...loaded.writable, ...loaded.readonly];
      const mayWrite = (index: number) =>
        index < wire.keys.length ? isWritable(wire, index) : index < wire.keys.length + shape.writable;
      const flat = flatten(wire, loaded);
      const parsed = parseTransaction(flat.bytes);
      expect(parsed.lookups).toEqual([]);
      expect(parsed.blockhash).toBe(wire.blockhash);
      expect(parsed.blockhashOffset).toBe(flat.blockhashOffset);
      expect(parsed.keys.toSorted()).toEqual(all.toSorted());
      for (const [at, key] of parsed.keys.entries()) {
        const original = flat.original?.[at] as number;
        expect(all[original]).toBe(key);
        expect(isWritable(parsed, at)).toBe(mayWrite(original));
        expect(at < parsed.requiredSignatures).toBe(original < wire.requiredSignatures);
      }
      const [before, after] = [wire.instructions[0], parsed.instructions[0]];
      expect(after?.accounts.map((index) => parsed.keys[index])).toEqual(
        before?.accounts.map((index) => all[index]),
      );
      expect(parsed.keys[after?.programIdIndex ?? -1]).toBe(all[before?.programIdIndex ?? -1]);
      expect([...(after?.data ?? [])]).toEqual([...(before?.data ?? [])]);
    });
  });

  it('maps errors and inner instructions back to the original indices', () => {
    const inner = { programIdIndex: 2, accounts: [0, 1], data: new Uint8Array(0), stackHeight: 2 };
    const flat = {
      executed: true,
      error: { InsufficientFundsForRent: { account_index: 1 } },
      logs: ['a'],
      unitsConsumed: 5n,
      returnData: null,
      innerInstructions: [[inner]],
    };
    const mapped = originalExecution(flat, [0, 3, 1]);
    expect(mapped.error).toEqual({ InsufficientFundsForRent: { account_index: 3 } });
    expect(mapped.innerInstructions).toEqual([[{ ...inner, programIdIndex: 1, accounts: [0, 3] }]]);
    expect([mapped.logs, mapped.unitsConsumed]).toEqual([['a'], 5n]);
  });
});

describe('lookup table', () => {
  const wire = transaction({
    signed: 1,
    readonlySigned: 0,
    unsigned: 0,
    readonlyUnsigned: 1,
    writable: 1,
    readonly: 0,
    picks: [],
  });
  const two = [address(2, 0), address(2, 1)];
  const second = { ...wire, lookups: [{ table: address(8, 0), writable: [1], readonly: [] }] };
  const load = (given: WireTransaction, slot: number, account: Account | null) =>
    loadAddresses(given, slot, () => Promise.resolve(account));

  it('resolves addresses added in a slot from the next slot on', async () => {
    const grown = tableAccount(two, { slot: 10, from: 1 });
    expect(await load(wire, 10, grown)).toMatchObject({ loaded: { writable: [two[0]] } });
    expect(await load(second, 10, grown)).toEqual({ error: 'InvalidAddressLookupTableIndex' });
    expect(await load(second, 11, grown)).toMatchObject({ loaded: { writable: [two[1]] } });
  });

  it('is rejected with the errors of a cluster', async () => {
    const sound = tableAccount(two);
    const deactivated = tableAccount(two, { slot: 0, from: 0 }, 88);
    const twice = tableAccount([wire.keys[0] as string]);
    expect(await load(wire, 600, deactivated)).toMatchObject({ loaded: { writable: [two[0]] } });
    for (const [slot, account, error] of [
      [5, null, 'AddressLookupTableNotFound'],
      [5, { ...sound, owner: address(4, 4) }, 'InvalidAddressLookupTableOwner'],
      [5, { ...sound, data: sound.data.subarray(0, 60) }, 'InvalidAddressLookupTableData'],
      [601, deactivated, 'AddressLookupTableNotFound'],
      [5, twice, 'AccountLoadedTwice'],
    ] as const)
      expect(await load(wire, slot, account)).toEqual({ error });
  });
});
