import * as kit from '@solana/kit';
import * as kitToken from '@solana-program/token';
import * as spl from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import fc from 'fast-check';
import { LiteSVM } from 'litesvm';
import { describe, expect, it } from 'vitest';
import { readLookupTable, readNonce } from '../../../src/chain/solana/accounts.js';
import { addressOf, isOnCurve } from '../../../src/chain/solana/addresses.js';
import * as instructions from '../../../src/chain/solana/instructions.js';
import * as layout from '../../../src/chain/solana/layout.js';
import * as tokens from '../../../src/chain/solana/token-accounts.js';
import { type Instruction, parseTransaction } from '../../../src/chain/solana/wire.js';
import { KeyRing } from '../../../src/world/keys.js';
import { forAll, forAllOf } from '../../support/for-all.js';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const address = bytes32.map((bytes) => addressOf(bytes));
const ring = new KeyRing('codecs');
const payer = ring.derive('payer');
const key = (text: string) => new web3.PublicKey(text);

const instruction: fc.Arbitrary<Instruction> = fc.record({
  program: address,
  accounts: fc.array(fc.record({ address, signer: fc.constant(false), writable: fc.boolean() }), {
    maxLength: 4,
  }),
  data: fc.uint8Array({ maxLength: 40 }),
});

function toWeb3({ program, accounts, data }: Instruction): web3.TransactionInstruction {
  return new web3.TransactionInstruction({
    programId: key(program),
    keys: accounts.map((meta) => ({
      pubkey: key(meta.address),
      isSigner: meta.signer,
      isWritable: meta.writable,
    })),
    data: Buffer.from(data),
  });
}

it('transaction wire format parses legacy and v0 transactions with lookup tables as web3.js does', () => {
  forAll(
    fc.array(instruction, { minLength: 1, maxLength: 3 }),
    address,
    fc.boolean(),
    (list, hash, legacy) => {
      const plan = {
        payerKey: key(payer.address),
        recentBlockhash: hash,
        instructions: list.map(toWeb3),
      };
      const named = list.flatMap(({ accounts }) => accounts.map((meta) => key(meta.address)));
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
      expect(wire.keys).toEqual(message.staticAccountKeys.map(String));
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
  );
});

describe('token codecs compared with spl-token and web3.js', () => {
  it('derive the same associated token accounts, including for owners off the curve', () => {
    forAllOf(60, bytes32, bytes32, (owner, mint) => {
      const expected = spl.getAssociatedTokenAddressSync(
        new web3.PublicKey(mint),
        new web3.PublicKey(owner),
        true,
      );
      expect(tokens.associatedTokenAddress(addressOf(owner), addressOf(mint))).toBe(expected.toBase58());
    });
  });

  it('agree on which bytes are curve points', () => {
    forAll(bytes32, (bytes) => {
      expect(isOnCurve(bytes)).toBe(web3.PublicKey.isOnCurve(bytes));
    });
  });

  it('encode every instruction identically', () => {
    const [from, to, mint] = [payer.address, ring.derive('to').address, ring.derive('mint').address];
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
      [
        instructions.approveTokens(from, to, mint, 3n),
        spl.createApproveInstruction(ata(from), key(to), key(from), 3n),
      ],
      [instructions.syncNative(to), spl.createSyncNativeInstruction(key(to))],
      [instructions.computeUnitLimit(5_000), web3.ComputeBudgetProgram.setComputeUnitLimit({ units: 5_000 })],
    ];
    for (const [ours, theirs] of pairs) {
      expect(toWeb3(ours)).toEqual(theirs);
    }
  });

  it('use the same layout for mints and token accounts', () => {
    const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    forAllOf(40, address, address, amount, fc.nat(255), (mint, owner, amountBase, places) => {
      const account = tokens.tokenAccount(mint, owner, amountBase);
      const theirs = spl.AccountLayout.decode(account.data);
      expect(theirs).toMatchObject({ mint: key(mint), owner: key(owner), amount: amountBase, state: 1 });
      expect(kitToken.getTokenDecoder().decode(account.data)).toMatchObject({
        mint,
        owner,
        amount: amountBase,
      });
      expect(tokens.tokenHolding(account)).toEqual({ mint, owner, amountBase });
      const mintAccount = tokens.mintAccount(owner, amountBase, places);
      const minted = spl.MintLayout.decode(mintAccount.data);
      expect(minted).toMatchObject({ supply: amountBase, decimals: places, isInitialized: true });
      expect(minted.mintAuthority.toBase58()).toBe(owner);
      const change = amountBase === 0n ? 1n : -amountBase;
      const [supply, left] = [minted.supply + change, theirs.amount + change];
      const moved = tokens.withTokens(account, change);
      expect(spl.AccountLayout.decode(moved.data)).toEqual({ ...theirs, amount: left });
      expect(spl.MintLayout.decode(tokens.withSupply(mintAccount, change).data)).toEqual({
        ...minted,
        supply,
      });
      expect(() => tokens.withSupply(mintAccount, 2n ** 64n - amountBase)).toThrow(RangeError);
      spl.AccountLayout.encode({ ...theirs, delegateOption: 1, delegate: key(owner) }, account.data);
      expect(tokens.tokenBalance(account)).toMatchObject({ mint, owner, amountBase, delegate: owner });
    });
  });
});

it('rent-exempt minimums are those of litesvm', () => {
  const vm = new LiteSVM();
  for (const bytes of [0, 82, 165, 10_000])
    expect(tokens.rentExemptLamports(bytes)).toBe(vm.minimumBalanceForRentExemption(BigInt(bytes)));
});

describe('layouts', () => {
  it('read values as the decoders of kit do, and nothing from fewer bytes', () => {
    const ours = layout.struct({
      a: layout.u16,
      b: layout.i64,
      c: layout.option(layout.u64),
    });
    const text = kit.addEncoderSizePrefix(kit.getUtf8Encoder(), kit.getU32Encoder());
    const theirs = kit.getStructEncoder([
      ['a', kit.getU16Encoder()],
      ['b', kit.getI64Encoder()],
      ['c', kit.getNullableEncoder(kit.getU64Encoder())],
    ]);
    const value = fc.record({
      a: fc.nat(65_535),
      b: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      c: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    });
    forAll(value, fc.nat(65_535), fc.string({ unit: 'binary' }), (given, length, words) => {
      const bytes = new Uint8Array(theirs.encode(given));
      expect(layout.readLayout(ours, bytes)).toEqual(given);
      expect(layout.readLayout(ours, bytes.subarray(0, -1))).toBeNull();
      const short = new Uint8Array(kit.getShortU16Encoder().encode(length));
      expect(layout.readLayout(layout.compactU16, short)).toBe(length);
      expect(layout.readLayout(layout.text(layout.u32), new Uint8Array(text.encode(words)))).toBe(words);
    });
  });

  it('of nonces and lookup tables are those of web3.js', () => {
    const nonce = Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 0, ...new Uint8Array(72).fill(7));
    const { authorizedPubkey, nonce: blockhash } = web3.NonceAccount.fromAccountData(nonce);
    expect(readNonce(nonce)).toMatchObject({ authority: authorizedPubkey.toBase58(), blockhash });
    const table = Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(17).fill(9), 1, ...new Uint8Array(98));
    const { addresses, ...theirs } = web3.AddressLookupTableAccount.deserialize(table);
    const named = { addresses: addresses.map(String), authority: theirs.authority?.toBase58() };
    expect(readLookupTable(table)).toMatchObject({ deactivationSlot: theirs.deactivationSlot, ...named });
  });
});
