import { describe, expect, it } from 'vitest';
import { TOKEN_PROGRAM } from '../../src/chain/solana/addresses.js';
import { recordOf, transactionResponse, preflightError } from '../../src/chain/cluster/answers.js';
import { parseExactJson } from '../../src/core/exact-json.js';
import { changeAt, paidBy, sourceOf } from '../../src/chain/effects.js';
import { associatedTokenAddress } from '../../src/chain/solana/token-accounts.js';
import { transferTokens } from '../../src/chain/solana/instructions.js';
import { compileTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';

const keys = new KeyRing('answers');
const [alice, bob, mint] = ['alice', 'bob', 'mint'].map((name) => keys.derive(name)) as [
  ReturnType<KeyRing['derive']>,
  ReturnType<KeyRing['derive']>,
  ReturnType<KeyRing['derive']>,
];

describe('cluster responses', () => {
  it('keep every digit of large numbers and leave strings untouched', () => {
    const text =
      '{"lamports":500000000000000001,"small":12,"log":"paid 500000000000000001, \\"9999999999999999\\"","f":1.5}';
    expect(parseExactJson(text, String).exact).toEqual({
      lamports: '500000000000000001',
      small: 12,
      log: 'paid 500000000000000001, "9999999999999999"',
      f: 1.5,
    });
  });

  it('convert to a record with the same effects as on an embedded chain', () => {
    const token = { mint: mint.address, amountBase: 7n, decimals: 6 };
    const wire = compileTransaction(
      [transferTokens(alice.address, bob.address, token)],
      [alice],
      keys.derive('hash').address,
    );
    const accounts = wire.keys;
    const index = (owner: string) => accounts.indexOf(associatedTokenAddress(owner, mint.address));
    const tokens = (owner: string, amount: string) => ({
      accountIndex: index(owner),
      mint: mint.address,
      owner,
      programId: TOKEN_PROGRAM,
      uiTokenAmount: { amount, decimals: 6, uiAmount: 0, uiAmountString: '0' },
    });
    const lamports = (first: string) => accounts.map((_, at) => (at === 0 ? first : 2_039_280));
    const record = recordOf(
      transactionResponse.parse({
        slot: 9,
        blockTime: 1_700_000_000,
        version: 'legacy',
        transaction: [Buffer.from(wire.bytes).toString('base64'), 'base64'],
        meta: {
          err: null,
          fee: 5_000,
          preBalances: lamports('90000000000000005000'),
          postBalances: lamports('90000000000000000000'),
          preTokenBalances: [tokens(alice.address, '10'), tokens(bob.address, '0')],
          postTokenBalances: [tokens(alice.address, '3'), tokens(bob.address, '7')],
          logMessages: ['ok'],
          loadedAddresses: { writable: [], readonly: [] },
        },
      }) as NonNullable<ReturnType<typeof transactionResponse.parse>>,
    );
    expect(record).toMatchObject({ signature: wire.signature, slot: 9, blockTimeSeconds: 1_700_000_000 });
    expect(record.touched.map(({ address }) => address)).not.toContain(mint.address);
    expect(changeAt(record, bob.address, mint.address)).toEqual({ USDC: 7n, SOL: 0n });
    expect(changeAt(record, alice.address, mint.address)).toEqual({ USDC: -7n, SOL: -5_000n });
    expect(paidBy(record, alice.address, mint.address)).toEqual({ USDC: 7n, SOL: 0n });
    expect(paidBy(record, bob.address, mint.address)).toEqual({ USDC: 0n, SOL: 0n });
    expect(sourceOf(record, mint.address)).toBe(alice.address);
  });

  it('yield the preflight error when one is present', () => {
    const error = { InstructionError: [0, { Custom: 1 }] };
    expect(preflightError({ err: error, logs: ['a'] })).toEqual({ error, logs: ['a'] });
    expect(preflightError({ err: null })).toBeNull();
    expect(preflightError(undefined)).toBeNull();
  });
});
