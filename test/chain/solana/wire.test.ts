import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../../src/chain/solana/addresses.js';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import {
  type Instruction,
  MAX_TRANSACTION_BYTES,
  MalformedTransaction,
  buildTransaction,
  compileTransaction,
  isWritable,
  parseTransaction,
} from '../../../src/chain/solana/wire.js';
import { KeyRing } from '../../../src/world/keys.js';
import { forAllOf } from '../../support/for-all.js';

const ring = new KeyRing('wire');
const PEOPLE = ['a', 'b', 'c', 'd'].map((name) => ring.derive(name));
const [payer, other] = PEOPLE as [(typeof PEOPLE)[number], (typeof PEOPLE)[number]];
const blockhash = ring.derive('hash').address;
const good = buildTransaction([transferLamports(payer.address, other.address, 5n)], [payer], blockhash);

interface Parts {
  readonly prefix?: readonly number[];
  readonly header?: readonly [number, number, number];
  readonly keys?: readonly string[];
  readonly instructions?: readonly (readonly number[])[];
  readonly signatures?: number;
  readonly lookups?: readonly (readonly number[])[];
}

/** A transaction assembled from raw parts; well-formed by default. */
function raw(parts: Parts = {}): Uint8Array {
  const { prefix = [], header = [1, 0, 1], signatures = 1, lookups } = parts;
  const { keys = [payer.address, other.address, ring.derive('program').address] } = parts;
  const { instructions = [[2, 2, 0, 1, 0]] } = parts;
  return Uint8Array.from([
    signatures,
    ...new Uint8Array(64 * signatures),
    ...prefix,
    ...header,
    keys.length,
    ...keys.flatMap((key) => [...bytesOf(key)]),
    ...bytesOf(blockhash),
    instructions.length,
    ...instructions.flat(),
    ...(lookups === undefined ? [] : [lookups.length, ...lookups.flat()]),
  ]);
}

describe('malformed transaction rejection', () => {
  it('rejects every truncation and trailing bytes', () => {
    for (const whole of [good, raw(), raw({ prefix: [0x80], lookups: [] })]) {
      expect(() => parseTransaction(whole)).not.toThrow();
      for (let length = 0; length < whole.length; length += 1) {
        expect(() => parseTransaction(whole.subarray(0, length)), String(length)).toThrow(
          MalformedTransaction,
        );
      }
      expect(() => parseTransaction(Uint8Array.from([...whole, 0]))).toThrow(MalformedTransaction);
    }
  });

  it("rejects what a cluster's sanitizer rejects, each with its reason", () => {
    const program = ring.derive('program').address;
    const table = [...bytesOf(ring.derive('table').address)];
    const cases: readonly (readonly [Parts, string])[] = [
      [{ header: [0, 0, 1], signatures: 0 }, '0 signatures are required'],
      [{ header: [2, 0, 1] }, '2 signatures are required, 1 are there'],
      [{ header: [1, 0, 1], signatures: 2 }, '1 signatures are required, 2 are there'],
      [{ header: [1, 1, 1] }, 'the fee payer must be writable'],
      [{ header: [1, 0, 3] }, 'the header names more keys than there are'],
      [{ keys: [payer.address, payer.address, program] }, 'a key occurs twice'],
      [{ instructions: [[0, 0, 0]] }, 'an instruction names no program'],
      [{ instructions: [[3, 0, 0]] }, 'an instruction names no program'],
      [{ instructions: [[2, 1, 3, 0]] }, 'an instruction names a missing account'],
      [{ prefix: [0x81], lookups: [] }, 'message version 1 is not supported'],
      [{ prefix: [0xff], lookups: [] }, 'message version 127 is not supported'],
      [
        { prefix: [0x80], instructions: [[3, 0, 0]], lookups: [[...table, 1, 0, 0]] },
        'an instruction names no program',
      ],
      [
        { prefix: [0x80], instructions: [[2, 1, 4, 0]], lookups: [[...table, 1, 0, 0]] },
        'an instruction names a missing account',
      ],
    ];
    for (const [parts, reason] of cases) expect(() => parseTransaction(raw(parts)), reason).toThrow(reason);
    const sound = raw({ prefix: [0x80], instructions: [[2, 1, 3, 0]], lookups: [[...table, 1, 9, 0]] });
    expect(parseTransaction(sound).lookups).toEqual([
      { table: ring.derive('table').address, writable: [9], readonly: [] },
    ]);
  });

  it('rejects overlong and too large compact-u16 lengths', () => {
    const instructions = (count: readonly number[]) => {
      const sound = raw();
      const at = sound.length - 6;
      return Uint8Array.from([...sound.subarray(0, at), ...count, ...sound.subarray(at + 1)]);
    };
    expect(parseTransaction(instructions([1])).instructions).toHaveLength(1);
    for (const count of [
      [0x81, 0],
      [0x81, 0x80, 0],
      [0x81, 0x80, 0x80, 0],
      [0xff, 0xff, 0x04],
    ]) {
      expect(() => parseTransaction(instructions(count)), String(count)).toThrow('compact-u16');
    }
  });

  it('accepts 1,232 bytes and rejects one more', () => {
    const sized = (bytes: number) => {
      const room = bytes - raw({ instructions: [[2, 0, 0]] }).length - 1;
      const data = new Uint8Array(room);
      return raw({ instructions: [[2, 0, (room & 0x7f) | 0x80, room >> 7, ...data]] });
    };
    expect(parseTransaction(sized(MAX_TRANSACTION_BYTES)).bytes).toHaveLength(1_232);
    expect(() => parseTransaction(sized(MAX_TRANSACTION_BYTES + 1))).toThrow('at most 1232');
  });
});

it(
  'transaction parsing rejects altered, cut and random bytes or agrees with web3.js on them',
  { tags: ['slow'] },
  () => {
    const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
    const altered = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
      const bytes = Uint8Array.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
    const cut = fc.nat(good.length - 1).map((length) => good.subarray(0, length));
    forAllOf(3_000, fc.oneof(altered, cut, fc.uint8Array({ maxLength: 1_300 })), (bytes) => {
      let wire;
      try {
        wire = parseTransaction(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedTransaction);
        return;
      }
      const theirs = web3.VersionedTransaction.deserialize(bytes);
      expect(wire.version).toBe(theirs.version);
      expect(wire.keys).toEqual(theirs.message.staticAccountKeys.map((key) => key.toBase58()));
      expect(wire.keys.map((_, at) => isWritable(wire, at))).toEqual(
        wire.keys.map((_, at) => theirs.message.isAccountWritable(at)),
      );
      expect(Buffer.from(wire.message)).toEqual(Buffer.from(theirs.message.serialize()));
      expect(wire.signatures.map(addressText)).toEqual(theirs.signatures.map(addressText));
    });
  },
);

function addressText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

describe('transaction compilation', () => {
  const person = fc.constantFrom(...PEOPLE.map(({ address }) => address));
  const instruction: fc.Arbitrary<Instruction> = fc.record({
    program: fc.constantFrom(ring.derive('p').address, ring.derive('q').address),
    accounts: fc.array(fc.record({ address: person, signer: fc.boolean(), writable: fc.boolean() }), {
      maxLength: 5,
    }),
    data: fc.uint8Array({ maxLength: 30 }),
  });

  it('merges account privileges across instructions as web3.js does, and signs', () => {
    forAllOf(60, fc.array(instruction, { minLength: 1, maxLength: 4 }), (list) => {
      const wire = compileTransaction(list, PEOPLE, blockhash);
      expect(parseTransaction(wire.bytes)).toEqual(wire);
      const theirs = web3.Transaction.from(wire.bytes);
      expect(theirs.verifySignatures()).toBe(true);
      expect(theirs.feePayer?.toBase58()).toBe(payer.address);
      const most = (address: string, right: 'signer' | 'writable') =>
        address === payer.address ||
        list.some(({ accounts }) => accounts.some((meta) => meta.address === address && meta[right]));
      expect(theirs.instructions).toEqual(
        list.map(
          ({ program, accounts, data }) =>
            new web3.TransactionInstruction({
              programId: new web3.PublicKey(program),
              data: Buffer.from(data),
              keys: accounts.map(({ address }) => ({
                pubkey: new web3.PublicKey(address),
                isSigner: most(address, 'signer'),
                isWritable: most(address, 'writable'),
              })),
            }),
        ),
      );
    });
  });

  it('requires a payer, all signers, and data within the length limit', () => {
    const transfer = transferLamports(other.address, payer.address, 1n);
    expect(() => compileTransaction([transfer], [], blockhash)).toThrow('needs a signer');
    expect(() => compileTransaction([transfer], [payer], blockhash)).toThrow('is missing');
    const long = { ...transfer, data: new Uint8Array(128) };
    expect(() => compileTransaction([long], [other], blockhash)).toThrow(RangeError);
  });
});
