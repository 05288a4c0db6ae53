// @module-tag slow
import * as spl from '@solana/spl-token';
import { Connection, Keypair, LAMPORTS_PER_SOL as SOL, type PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, transfer } from './clients.js';
import { secretOf, simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { FEE, closed } from '../support/waiting.js';

const V0 = { maxSupportedTransactionVersion: 0 } as const;
const MINT_RENT = 1_461_600;
const ACCOUNT_RENT = 2_039_280;

describe.each(ENGINES)('@solana/spl-token on %s', (engine) => {
  const sim = simulator(engine);
  let connection: Connection;
  let alice: Keypair;
  beforeAll(() => {
    connection = new Connection(sim().rpcUrl, 'confirmed');
    alice = Keypair.fromSecretKey(secretOf(sim(), 3));
  });
  afterAll(() => closed(connection));

  const spent = async <T>(work: () => Promise<T>): Promise<{ made: T; lamports: number }> => {
    const before = await connection.getBalance(alice.publicKey);
    const made = await work();
    return { made, lamports: before - (await connection.getBalance(alice.publicKey)) };
  };
  /** A mint of alice's with a funded token account. */
  const minted = async (amount: bigint): Promise<{ mint: PublicKey; account: PublicKey }> => {
    const mint = await spl.createMint(connection, alice, alice.publicKey, alice.publicKey, 6);
    const account = await spl.createAssociatedTokenAccount(connection, alice, mint, alice.publicKey);
    await spl.mintTo(connection, alice, mint, account, alice, amount);
    return { mint, account };
  };

  const accountOf = (mint: PublicKey, owner = Keypair.generate().publicKey): Promise<PublicKey> =>
    spl.createAccount(connection, alice, mint, owner, Keypair.generate());

  it('creates a mint and token accounts, mints, transfers and burns, exact to the lamport', async () => {
    const created = await spent(() => spl.createMint(connection, alice, alice.publicKey, null, 6));
    // The mint's own key signs too.
    expect(created.lamports).toBe(MINT_RENT + 2 * FEE);
    const mint = created.made;
    const open = () => spl.getOrCreateAssociatedTokenAccount(connection, alice, mint, alice.publicKey);
    const from = await spent(open);
    expect(from.lamports).toBe(ACCOUNT_RENT + FEE);
    const again = await spent(open);
    expect([again.lamports, again.made.address]).toEqual([0, from.made.address]);
    const bob = Keypair.generate();
    const to = await accountOf(mint, bob.publicKey);
    const source = from.made.address;
    await spl.mintToChecked(connection, alice, mint, source, alice, 5_000_000n, 6);
    await spl.transfer(connection, alice, source, to, alice, 1_000_000n);
    await spl.transferChecked(connection, alice, source, mint, to, alice, 500_000n, 6);
    await spl.burn(connection, alice, source, mint, alice, 250_000n);
    expect(await spl.getMint(connection, mint)).toMatchObject({
      supply: 4_750_000n,
      decimals: 6,
      mintAuthority: alice.publicKey,
      freezeAuthority: null,
    });
    expect(await spl.getAccount(connection, to)).toMatchObject({
      amount: 1_500_000n,
      owner: bob.publicKey,
      mint,
    });
    expect((await spl.getAccount(connection, source)).amount).toBe(3_250_000n);
    expect((await connection.getTokenSupply(mint)).value).toMatchObject({
      amount: '4750000',
      uiAmountString: '4.75',
    });
    const largest = (await connection.getTokenLargestAccounts(mint)).value;
    expect(largest.map(({ address, amount }) => [address, amount])).toEqual([
      [source, '3250000'],
      [to, '1500000'],
    ]);
    await expect(spl.getAccount(connection, bob.publicKey)).rejects.toThrow(spl.TokenAccountNotFoundError);
  });

  it('delegates, freezes, changes authorities and closes accounts', async () => {
    const { mint, account } = await minted(1_000_000n);
    const delegate = Keypair.generate();
    const to = await accountOf(mint, delegate.publicKey);
    await spl.approve(connection, alice, account, delegate.publicKey, alice, 300_000n);
    const delegated = await connection.getParsedProgramAccounts(spl.TOKEN_PROGRAM_ID, {
      filters: [{ memcmp: { offset: 76, bytes: delegate.publicKey.toBase58() } }],
    });
    expect(delegated.map(({ pubkey }) => pubkey)).toEqual([account]);
    await spl.transfer(connection, alice, account, to, delegate, 200_000n);
    expect(await spl.getAccount(connection, account)).toMatchObject({
      amount: 800_000n,
      delegate: delegate.publicKey,
      delegatedAmount: 100_000n,
    });
    await spl.revoke(connection, alice, account, alice);
    const refused = (call: Promise<string>, code: string) =>
      expect(call).rejects.toThrow(new RegExp(`custom program error: ${code}`));
    await refused(spl.transfer(connection, alice, account, to, delegate, 1n), '0x4');
    await spl.freezeAccount(connection, alice, account, mint, alice);
    await refused(spl.transfer(connection, alice, account, to, alice, 1n), '0x11');
    await spl.thawAccount(connection, alice, account, mint, alice);
    await spl.setAuthority(connection, alice, mint, alice, spl.AuthorityType.MintTokens, null);
    await refused(spl.mintTo(connection, alice, mint, account, alice, 1n), '0x5');
    await spl.transfer(connection, alice, account, to, alice, 800_000n);
    const closing = await spent(() => spl.closeAccount(connection, alice, account, alice.publicKey, alice));
    expect(closing.lamports).toBe(FEE - ACCOUNT_RENT);
    expect(await connection.getAccountInfo(account)).toBeNull();
  });

  it('reads parsed transactions, accounts and inner instructions', async () => {
    const { mint, account } = await minted(9_000_000n);
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

  it('wraps and unwraps SOL', async () => {
    const owner = Keypair.generate();
    const wrapped = await spl.createWrappedNativeAccount(connection, alice, owner.publicKey, SOL);
    expect(await spl.getAccount(connection, wrapped)).toMatchObject({
      amount: BigInt(SOL),
      isNative: true,
      rentExemptReserve: BigInt(ACCOUNT_RENT),
    });
    await send(connection, alice, transfer(alice, wrapped, 5));
    await spl.syncNative(connection, alice, wrapped);
    expect((await connection.getTokenAccountBalance(wrapped)).value).toMatchObject({
      amount: String(SOL + 5),
      uiAmountString: '1.000000005',
    });
    await spl.closeAccount(connection, alice, wrapped, owner.publicKey, owner);
    expect(await connection.getBalance(owner.publicKey)).toBe(SOL + 5 + ACCOUNT_RENT);
  });

  it('creates and transfers Token-2022 tokens', async () => {
    const program = spl.TOKEN_2022_PROGRAM_ID;
    const mint = await spl.createMint(
      connection,
      alice,
      alice.publicKey,
      null,
      2,
      Keypair.generate(),
      undefined,
      program,
    );
    const owners = [alice.publicKey, Keypair.generate().publicKey];
    const accounts: PublicKey[] = [];
    for (const owner of owners)
      accounts.push(
        await spl.createAssociatedTokenAccount(connection, alice, mint, owner, undefined, program),
      );
    const [from, to] = accounts as [PublicKey, PublicKey];
    await spl.mintTo(connection, alice, mint, from, alice, 1_000n, [], undefined, program);
    await spl.transferChecked(connection, alice, from, mint, to, alice, 250n, 2, [], undefined, program);
    expect((await spl.getAccount(connection, to, undefined, program)).amount).toBe(250n);
    const [held] = (
      await connection.getParsedTokenAccountsByOwner(owners[1] as PublicKey, { programId: program })
    ).value;
    expect(held?.account.data).toMatchObject({
      program: 'spl-token-2022',
      parsed: {
        info: { extensions: [{ extension: 'immutableOwner' }], tokenAmount: { uiAmountString: '2.5' } },
      },
    });
  });
});
