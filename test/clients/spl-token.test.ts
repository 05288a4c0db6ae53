// @module-tag slow
import * as spl from '@solana/spl-token';
import { Keypair } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { connected, send } from './clients.js';
import { secretOf, simulator } from './support.js';
import { ENGINES } from '../support/world.js';

const V0 = { maxSupportedTransactionVersion: 0 } as const;

describe.each(ENGINES)('@solana/spl-token on %s', (engine) => {
  const sim = simulator(engine);

  /** A mint of alice's with a funded token account. */
  const minted = async (amount: bigint) => {
    const connection = connected(sim().rpcUrl);
    const alice = Keypair.fromSecretKey(secretOf(sim(), 3));
    const mint = await spl.createMint(connection, alice, alice.publicKey, alice.publicKey, 6);
    const account = await spl.createAssociatedTokenAccount(connection, alice, mint, alice.publicKey);
    await spl.mintTo(connection, alice, mint, account, alice, amount);
    return { connection, alice, mint, account };
  };

  it('mints, transfers and burns, and reads what has become of it', async () => {
    const { connection, alice, mint, account } = await minted(5_000_000n);
    const bob = Keypair.generate();
    const to = await spl.createAccount(connection, alice, mint, bob.publicKey, Keypair.generate());
    await spl.transfer(connection, alice, account, to, alice, 1_000_000n);
    await spl.transferChecked(connection, alice, account, mint, to, alice, 500_000n, 6);
    await spl.burn(connection, alice, account, mint, alice, 250_000n);
    expect(await spl.getMint(connection, mint)).toMatchObject({ supply: 4_750_000n, decimals: 6 });
    expect(await spl.getAccount(connection, to)).toMatchObject({ amount: 1_500_000n, owner: bob.publicKey });
    const { value: supply } = await connection.getTokenSupply(mint);
    expect(supply).toMatchObject({ amount: '4750000', uiAmountString: '4.75' });
    const { value: largest } = await connection.getTokenLargestAccounts(mint);
    expect(largest.map(({ address, amount }) => [address, amount])).toEqual([
      [account, '3250000'],
      [to, '1500000'],
    ]);
    await expect(spl.getAccount(connection, bob.publicKey)).rejects.toThrow(spl.TokenAccountNotFoundError);
  });

  it('reads parsed transactions, accounts and inner instructions', async () => {
    const { connection, alice, mint, account } = await minted(9_000_000n);
    const bob = Keypair.generate().publicKey;
    const to = spl.getAssociatedTokenAddressSync(mint, bob);
    const create = spl.createAssociatedTokenAccountInstruction(alice.publicKey, to, bob, mint);
    const move = spl.createTransferCheckedInstruction(account, mint, to, alice.publicKey, 2_500_000n, 6);
    const signature = await send(connection, alice, create, move);
    const received = await connection.getParsedTransaction(signature, V0);
    const opened = { account: String(to), wallet: String(bob), mint: String(mint) };
    const between = { source: String(account), destination: String(to), authority: String(alice.publicKey) };
    const tokenAmount = { amount: '2500000', decimals: 6, uiAmountString: '2.5' };
    const moved = { ...between, tokenAmount };
    expect(received?.transaction.message.instructions).toMatchObject([
      { program: 'spl-associated-token-account', parsed: { type: 'create', info: opened } },
      { program: 'spl-token', parsed: { type: 'transferChecked', info: moved } },
    ]);
    const { meta } = received ?? expect.fail('no transaction');
    const amounts = (
      balances: typeof meta extends null ? never : NonNullable<typeof meta>['preTokenBalances'],
    ) => Object.fromEntries((balances ?? []).map((one) => [one.owner, one.uiTokenAmount.amount]));
    expect(amounts(meta?.preTokenBalances)).toEqual({ [alice.publicKey.toBase58()]: '9000000' });
    expect(amounts(meta?.postTokenBalances)).toEqual({
      [alice.publicKey.toBase58()]: '6500000',
      [bob.toBase58()]: '2500000',
    });
    // bankrun reports no inner instructions.
    const inner = meta?.innerInstructions?.map(({ index, instructions }) => [
      index,
      instructions.map((one) => ('parsed' in one ? (one.parsed as { type: string }).type : null)),
    ]);
    expect(inner ?? null).toEqual(
      engine === 'bankrun'
        ? null
        : [[0, ['getAccountDataSize', 'createAccount', 'initializeImmutableOwner', 'initializeAccount3']]],
    );
    const owned = await connection.getParsedTokenAccountsByOwner(bob, { programId: spl.TOKEN_PROGRAM_ID });
    const held = { mint: String(mint), owner: String(bob), state: 'initialized', isNative: false };
    const parsed = { type: 'account', info: { ...held, tokenAmount: { amount: '2500000' } } };
    expect(owned.value).toMatchObject([{ pubkey: to, account: { data: { parsed } } }]);
    const raw = await connection.getTokenAccountsByOwner(bob, { mint });
    expect(spl.AccountLayout.decode(raw.value[0]?.account.data ?? Buffer.alloc(0)).amount).toBe(2_500_000n);
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint.toBase58() } }];
    const holders = await connection.getProgramAccounts(spl.TOKEN_PROGRAM_ID, { filters });
    expect(holders.map(({ pubkey }) => pubkey.toBase58()).toSorted()).toEqual(
      [account, to].map(String).toSorted(),
    );
    const both = await spl.getMultipleAccounts(connection, [account, to]);
    expect(both.map(({ amount }) => amount)).toEqual([6_500_000n, 2_500_000n]);
  });
});
