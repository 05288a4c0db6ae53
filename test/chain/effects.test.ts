import { describe, expect, it } from 'vitest';
import { changeAt, paidBy, sourceOf } from '../../src/chain/effects.js';
import { NATIVE_MINT } from '../../src/chain/solana/addresses.js';
import type { Account } from '../../src/chain/engine.js';
import { walletAccount } from '../../src/chain/genesis.js';
import type { TransactionRecord } from '../../src/chain/history.js';
import { predict, sameAccount } from '../../src/chain/prediction.js';
import {
  approveTokens,
  computeUnitLimit,
  createTokenAccount,
  transferTokens,
} from '../../src/chain/solana/instructions.js';
import {
  associatedTokenAddress,
  tokenAccount,
  tokenAmount,
  tokenHolding,
} from '../../src/chain/solana/token-accounts.js';
import { type Instruction, compileTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';

const ring = new KeyRing('effects');
const [alice, bob, mint, otherMint, side] = ['alice', 'bob', 'mint', 'other-mint', 'side'].map(
  (name) => ring.derive(name).address,
) as [string, string, string, string, string];
const [aliceAta, bobAta] = [associatedTokenAddress(alice, mint), associatedTokenAddress(bob, mint)];

function record(
  touched: readonly (readonly [address: string, pre: Account | null, post: Account | null])[],
  more: Partial<TransactionRecord> = {},
): TransactionRecord {
  return {
    kind: 'transaction',
    signature: 's',
    bytes: new Uint8Array(0),
    requiredSignatures: 1,
    accountKeys: touched.map(([address]) => address),
    slot: 1,
    blockTimeSeconds: 1,
    error: null,
    feeLamports: 5_000n,
    execution: {
      executed: true,
      error: null,
      logs: [],
      unitsConsumed: 0n,
      returnData: null,
      innerInstructions: null,
    },
    touched: touched.map(([address, pre, post]) => ({ address, pre, post })),
    ...more,
  };
}

const sol = (lamports: bigint) => walletAccount(lamports);
const usdc = (owner: string, amount: bigint) => tokenAccount(mint, owner, amount);

describe('effects of a transaction on a wallet', () => {
  const payment = record([
    [alice, sol(100_000n), sol(95_000n)],
    [aliceAta, usdc(alice, 50n), usdc(alice, 20n)],
    [bobAta, null, usdc(bob, 30n)],
  ]);

  it('are the changes of its lamports and of its token account of the mint', () => {
    expect(changeAt(payment, bob, mint)).toEqual({ USDC: 30n, SOL: 0n });
    expect(changeAt(payment, alice, mint)).toEqual({ USDC: -30n, SOL: -5_000n });
    expect(changeAt(payment, bob, otherMint)).toEqual({ USDC: 0n, SOL: 0n });
  });

  it('count as payment only when the wallet signed, and exclude the fee', () => {
    expect(paidBy(payment, alice, mint)).toEqual({ USDC: 30n, SOL: 0n });
    expect(paidBy({ ...payment, requiredSignatures: 0 }, alice, mint)).toEqual({ USDC: 0n, SOL: 0n });
    const lamports = record([
      [alice, sol(100_000n), sol(95_000n)],
      [bob, sol(50_000n), sol(10_000n)],
      [side, null, sol(40_000n)],
    ]);
    expect(paidBy(lamports, bob, mint)).toEqual({ USDC: 0n, SOL: 0n });
    expect(paidBy({ ...lamports, requiredSignatures: 2 }, bob, mint)).toEqual({ USDC: 0n, SOL: 40_000n });
  });

  it('count tokens leaving any of its accounts, but not moves between them', () => {
    const shuffle = record([
      [alice, sol(9_000n), sol(4_000n)],
      [aliceAta, usdc(alice, 50n), usdc(alice, 0n)],
      [side, usdc(alice, 7n), usdc(alice, 17n)],
      [bobAta, usdc(bob, 0n), usdc(bob, 40n)],
    ]);
    expect(paidBy(shuffle, alice, mint)).toEqual({ USDC: 40n, SOL: 0n });
  });

  it('have as source the wallet that lost most, or the payer when none lost any', () => {
    expect([sourceOf(payment, mint), sourceOf(payment, null)]).toEqual([alice, alice]);
    const gift = record([
      [alice, sol(9_000n), sol(4_000n)],
      [side, usdc(bob, 9n), usdc(bob, 0n)],
      [aliceAta, usdc(alice, 0n), usdc(alice, 9n)],
    ]);
    expect([sourceOf(gift, mint), sourceOf(gift, otherMint)]).toEqual([bob, alice]);
  });

  it('are the owner’s when a wrapped-SOL account is closed, and not when it stays open', () => {
    const wrapped = (lamports: bigint) => ({ ...tokenAccount(NATIVE_MINT, bob, lamports), lamports });
    const closed = record([
      [alice, sol(9_000n), sol(4_000n)],
      [bob, sol(1n), sol(10_001n)],
      [bobAta, wrapped(60_000n), null],
      [side, null, sol(50_000n)],
    ]);
    expect(sourceOf(closed, null)).toBe(bob);
    expect(paidBy({ ...closed, requiredSignatures: 2 }, bob, mint)).toEqual({ USDC: 0n, SOL: 50_000n });
    const open = record([[bobAta, wrapped(60_000n), wrapped(10_000n)]], { accountKeys: [bob] });
    expect(paidBy(open, bob, mint)).toEqual({ USDC: 0n, SOL: -5_000n });
  });
});

it('token account parsing returns null for anything but a token account', () => {
  const account = usdc(alice, 42n);
  expect(tokenHolding(account)).toEqual({ mint, owner: alice, amountBase: 42n });
  expect(tokenHolding({ ...account, owner: alice })).toBeNull();
  expect(tokenHolding({ ...account, data: account.data.subarray(1) })).toBeNull();
  expect([tokenHolding(null), tokenAmount(null), tokenAmount(sol(5n))]).toEqual([null, 0n, 0n]);
  // Reads from the view's own offset when the data is a view into a larger buffer.
  const wide = Uint8Array.from([...new Uint8Array(7).fill(255), ...account.data]);
  expect(tokenAmount({ ...account, data: wide.subarray(7) })).toBe(42n);
});

describe('a balance prediction', () => {
  it('is not made when an account is missing or is not a token account, or for other instructions', () => {
    const transfer = transferTokens(alice, bob, { mint, amountBase: 30n, decimals: 6 });
    const predicted = (receiver: Account | null, ...instructions: Instruction[]) => {
      const wire = compileTransaction([...instructions, transfer], [ring.derive('alice')], mint);
      return predict(wire, [alice, aliceAta, bobAta], [sol(100_000n), usdc(alice, 50n), receiver]);
    };
    expect(predicted(usdc(bob, 0n), computeUnitLimit(100_000))?.map(tokenAmount)).toEqual([0n, 20n, 30n]);
    for (const receiver of [null, sol(1n)]) expect(predicted(receiver)).toBeNull();
    for (const other of [createTokenAccount(alice, bob, mint), approveTokens(alice, bob, mint, 1n)])
      expect(predicted(usdc(bob, 0n), other)).toBeNull();
  });

  it('matches an account only when every byte is equal', () => {
    const account = usdc(alice, 5n);
    expect(sameAccount(account, { ...account, data: Uint8Array.from(account.data) })).toBe(true);
    const others = [
      null,
      usdc(alice, 6n),
      { ...account, lamports: 1n },
      { ...account, owner: bob },
      { ...account, executable: true },
    ];
    for (const other of others) expect(sameAccount(account, other)).toBe(false);
    expect(sameAccount(null, null)).toBe(true);
  });
});
