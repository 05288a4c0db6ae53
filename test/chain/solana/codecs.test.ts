import * as spl from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../../src/chain/solana/addresses.js';
import { isOnCurve } from '../../../src/chain/solana/addresses.js';
import * as instructions from '../../../src/chain/solana/instructions.js';
import * as tokens from '../../../src/chain/solana/token-accounts.js';
import {
  type Instruction,
  MalformedTransaction,
  buildTransaction,
  compileTransaction,
  parseTransaction,
} from '../../../src/chain/solana/wire.js';
import { KeyRing } from '../../../src/world/keys.js';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const address = bytes32.map((bytes) => addressOf(bytes));
const ring = new KeyRing('codecs');
const payer = ring.derive('payer');

const instruction: fc.Arbitrary<Instruction> = fc.record({
  program: address,
  accounts: fc.array(fc.record({ address, signer: fc.constant(false), writable: fc.boolean() }), {
    maxLength: 4,
  }),
  data: fc.uint8Array({ maxLength: 40 }),
});

function toWeb3({ program, accounts, data }: Instruction): web3.TransactionInstruction {
  return new web3.TransactionInstruction({
    programId: new web3.PublicKey(program),
    keys: accounts.map((meta) => ({
      pubkey: new web3.PublicKey(meta.address),
      isSigner: meta.signer,
      isWritable: meta.writable,
    })),
    data: Buffer.from(data),
  });
}

describe('transaction wire format', () => {
  it('parses legacy and v0 transactions with lookup tables as web3.js does', () => {
    fc.assert(
      fc.property(
        fc.array(instruction, { minLength: 1, maxLength: 3 }),
        address,
        fc.boolean(),
        (list, hash, legacy) => {
          const plan = {
            payerKey: new web3.PublicKey(payer.address),
            recentBlockhash: hash,
            instructions: list.map(toWeb3),
          };
          const named = list.flatMap(({ accounts }) =>
            accounts.map((meta) => new web3.PublicKey(meta.address)),
          );
          const table = new web3.AddressLookupTableAccount({
            key: new web3.PublicKey(ring.derive('table').address),
            state: {
              deactivationSlot: 2n ** 64n - 1n,
              lastExtendedSlot: 0,
              lastExtendedSlotStartIndex: 0,
              addresses: named,
            },
          });
          const message = legacy
            ? new web3.TransactionMessage(plan).compileToLegacyMessage()
            : new web3.TransactionMessage(plan).compileToV0Message([table]);
          const bytes = new web3.VersionedTransaction(message).serialize();
          const wire = parseTransaction(bytes);
          expect(wire.version).toBe(message.version);
          expect(wire.keys).toEqual(message.staticAccountKeys.map((key) => key.toBase58()));
          expect(wire.blockhash).toBe(hash);
          expect(wire.instructions.map(({ accounts }) => accounts)).toEqual(
            message.compiledInstructions.map(({ accountKeyIndexes }) => [...accountKeyIndexes]),
          );
          expect(wire.lookups.map(({ writable, readonly }) => [writable, readonly])).toEqual(
            message.addressTableLookups.map((lookup) => [
              [...lookup.writableIndexes],
              [...lookup.readonlyIndexes],
            ]),
          );
        },
      ),
    );
  });

  it('compiles transactions that it parses back and that web3.js verifies', () => {
    fc.assert(
      fc.property(fc.array(instruction, { minLength: 1, maxLength: 3 }), address, (list, hash) => {
        const wire = compileTransaction(list, [payer], hash);
        expect(parseTransaction(wire.bytes)).toEqual(wire);
        expect(web3.Transaction.from(wire.bytes).verifySignatures()).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('parses truncated, altered and random bytes within bounds or throws MalformedTransaction', () => {
    const good = buildTransaction(
      [instructions.transferLamports(payer.address, ring.derive('to').address, 5n)],
      [payer],
      ring.derive('hash').address,
    );
    const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
    const changed = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
      const bytes = Uint8Array.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
    const cut = fc.nat(good.length - 1).map((length) => good.subarray(0, length));
    const invented = fc.uint8Array({ maxLength: 1_300 });
    fc.assert(
      fc.property(fc.oneof(changed, cut, invented), (bytes) => {
        try {
          const wire = parseTransaction(bytes);
          for (const { accounts, programIdIndex } of wire.instructions) {
            expect(Math.max(programIdIndex, ...accounts)).toBeLessThan(256);
          }
          expect(wire.signatures.length).toBe(wire.requiredSignatures);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedTransaction);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('token codecs compared with spl-token and web3.js', () => {
  it('derive the same associated token accounts, including for owners off the curve', () => {
    fc.assert(
      fc.property(bytes32, bytes32, (owner, mint) => {
        const expected = spl.getAssociatedTokenAddressSync(
          new web3.PublicKey(mint),
          new web3.PublicKey(owner),
          true,
        );
        expect(tokens.associatedTokenAddress(addressOf(owner), addressOf(mint))).toBe(expected.toBase58());
      }),
      { numRuns: 60 },
    );
  });

  it('agree on which bytes are curve points', () => {
    fc.assert(
      fc.property(bytes32, (bytes) => {
        expect(isOnCurve(bytes)).toBe(web3.PublicKey.isOnCurve(bytes));
      }),
    );
  });

  it('encode every instruction identically', () => {
    const [from, to, mint] = [payer.address, ring.derive('to').address, ring.derive('mint').address];
    const key = (text: string) => new web3.PublicKey(text);
    const ata = (owner: string) => key(tokens.associatedTokenAddress(owner, mint));
    const pairs: [Instruction, web3.TransactionInstruction][] = [
      [
        instructions.transferLamports(from, to, 123n),
        web3.SystemProgram.transfer({ fromPubkey: key(from), toPubkey: key(to), lamports: 123n }),
      ],
      [
        instructions.transferTokens(from, to, { mint, amountBase: 77n, decimals: 6 }),
        spl.createTransferCheckedInstruction(ata(from), key(mint), ata(to), key(from), 77n, 6),
      ],
      [
        instructions.mintTokens(from, to, mint, 9n),
        spl.createMintToInstruction(key(mint), ata(to), key(from), 9n),
      ],
      [
        instructions.createTokenAccount(from, to, mint),
        spl.createAssociatedTokenAccountIdempotentInstruction(key(from), ata(to), key(to), key(mint)),
      ],
      [instructions.computeUnitLimit(5_000), web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 5_000 })],
    ];
    for (const [ours, theirs] of pairs) {
      expect(toWeb3(ours)).toEqual(theirs);
    }
  });

  it('use the same layout for mints and token accounts', () => {
    const [owner, mint] = [ring.derive('owner').address, ring.derive('mint').address];
    const account = spl.AccountLayout.decode(tokens.tokenAccount(mint, owner, 42n).data);
    expect([account.owner.toBase58(), account.mint.toBase58(), account.amount, account.state]).toEqual([
      owner,
      mint,
      42n,
      1,
    ]);
    const read = spl.MintLayout.decode(tokens.mintAccount(owner, 1_000n, 6).data);
    expect([read.mintAuthority.toBase58(), read.supply, read.decimals, read.isInitialized]).toEqual([
      owner,
      1_000n,
      6,
      true,
    ]);
    expect(tokens.tokenHolding(tokens.tokenAccount(mint, owner, 42n))).toEqual({
      mint,
      owner,
      amountBase: 42n,
    });
  });
});
