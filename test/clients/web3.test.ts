import * as spl from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Customer, ENGINES, secretOf, simulator, until } from './support.js';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

describe.each(ENGINES)('@solana/web3.js against sim start on %s', (engine) => {
  const ready = simulator(engine);
  const open = () => new Connection(ready().rpcUrl, 'confirmed');

  async function funded(connection: Connection): Promise<Keypair> {
    const keys = Keypair.generate();
    const signature = await connection.requestAirdrop(keys.publicKey, 5 * LAMPORTS_PER_SOL);
    const latest = await connection.getLatestBlockhash();
    const { value } = await connection.confirmTransaction({ signature, ...latest });
    expect(value.err).toBeNull();
    return keys;
  }

  const pay = (from: Keypair, to: PublicKey, lamports: number) =>
    SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });

  it('airdrops, sends, confirms and sends the same again, to the lamport', async () => {
    const connection = open();
    const alice = await funded(connection);
    const bob = Keypair.generate().publicKey;
    for (let round = 1; round <= 2; round += 1) {
      await sendAndConfirmTransaction(connection, new Transaction().add(pay(alice, bob, 1_000_000)), [alice]);
      expect(await connection.getBalance(bob)).toBe(round * 1_000_000);
      expect(await connection.getBalance(alice.publicKey)).toBe(5 * LAMPORTS_PER_SOL - round * 1_005_000);
    }
    const signatures = await connection.getSignaturesForAddress(bob);
    expect(signatures).toHaveLength(2);
    expect(signatures[0]).toMatchObject({ err: null, confirmationStatus: 'finalized', memo: null });
    const parsed = await connection.getParsedTransactions(
      signatures.map(({ signature }) => signature),
      { maxSupportedTransactionVersion: 0 },
    );
    expect(parsed.map((one) => one?.meta?.fee)).toEqual([5_000, 5_000]);
    expect(parsed[0]?.transaction.message.instructions[0]).toMatchObject({
      program: 'system',
      parsed: {
        type: 'transfer',
        info: { source: alice.publicKey.toBase58(), destination: bob.toBase58(), lamports: 1_000_000 },
      },
    });
    const both = await connection.getMultipleAccountsInfo([bob, Keypair.generate().publicKey]);
    expect(both.map((account) => account?.lamports ?? null)).toEqual([2_000_000, null]);
  });

  it('says why a transaction is refused', async () => {
    const connection = open();
    const alice = await funded(connection);
    const tooMuch = new Transaction().add(pay(alice, Keypair.generate().publicKey, 99 * LAMPORTS_PER_SOL));
    const refusal = await sendAndConfirmTransaction(connection, tooMuch, [alice]).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(SendTransactionError);
    expect((refusal as Error).message).toContain('custom program error: 0x1');
    expect((refusal as SendTransactionError).logs?.join()).toContain('insufficient lamports');
    expect(await connection.getBalance(alice.publicKey)).toBe(5 * LAMPORTS_PER_SOL);
  });

  it('subscribes to accounts, logs, programs, slots and signatures', async () => {
    const connection = open();
    const alice = await funded(connection);
    const bob = Keypair.generate().publicKey;
    const told: Record<string, unknown> = {};
    const once = (kind: string) =>
      new Promise<unknown>((resolve) => {
        const done = (value: unknown) => {
          told[kind] = value;
          resolve(value);
        };
        if (kind === 'account')
          connection.onAccountChange(bob, ({ lamports }) => done(lamports), 'confirmed');
        if (kind === 'logs')
          connection.onLogs(bob, ({ err, signature }) => done([err, signature]), 'confirmed');
        if (kind === 'slot') connection.onSlotChange(({ slot, parent }) => done(slot - parent));
        if (kind === 'program') {
          connection.onProgramAccountChange(SystemProgram.programId, ({ accountId }) => {
            if (accountId.equals(bob)) done(accountId.toBase58());
          });
        }
      });
    const all = ['account', 'logs', 'slot', 'program'].map(once);
    // The library subscribes in its own time: what it misses is sent again.
    let signature = '';
    await until(async () => {
      signature = await sendAndConfirmTransaction(
        connection,
        new Transaction().add(pay(alice, bob, 1_000_000)),
        [alice],
      );
      const heard = await Promise.race([Promise.all(all), connection.getSlot()]);
      return Array.isArray(heard) || Object.keys(told).length === 4;
    });
    expect(told['account']).toBeGreaterThanOrEqual(1_000_000);
    expect((told['logs'] as unknown[])[0]).toBeNull();
    expect(told['slot']).toBe(1);
    expect(told['program']).toBe(bob.toBase58());
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({
      confirmationStatus: 'finalized',
    });
    const ended = new Connection(ready().rpcUrl, 'confirmed');
    expect(await ended.confirmTransaction(signature)).toMatchObject({ value: { err: null } });
  });

  it('uses lookup tables, prices and memos in versioned transactions, and simulates them', async () => {
    const connection = open();
    const alice = await funded(connection);
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: alice.publicKey,
      payer: alice.publicKey,
      recentSlot: await connection.getSlot('finalized'),
    });
    const bob = Keypair.generate().publicKey;
    const extend = AddressLookupTableProgram.extendLookupTable({
      authority: alice.publicKey,
      payer: alice.publicKey,
      lookupTable: table,
      addresses: [bob, SystemProgram.programId],
    });
    await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [alice]);
    const from = await connection.getSlot();
    await until(async () => (await connection.getSlot()) > from);
    const lookup = (await connection.getAddressLookupTable(table)).value;
    expect(lookup?.state.addresses.map(String)).toEqual([bob.toBase58(), SystemProgram.programId.toBase58()]);
    const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from('für Bob') });
    const instructions = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5_000 }),
      pay(alice, bob, 3_000_000),
      memo,
    ];
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: alice.publicKey,
      recentBlockhash: blockhash,
      instructions,
    });
    const transaction = new VersionedTransaction(message.compileToV0Message(lookup === null ? [] : [lookup]));
    expect((await connection.getFeeForMessage(transaction.message)).value).toBe(6_000);
    const trial = await connection.simulateTransaction(transaction, {
      replaceRecentBlockhash: true,
      accounts: { encoding: 'base64', addresses: [bob.toBase58()] },
    });
    expect(trial.value).toMatchObject({ err: null, accounts: [{ lamports: 3_000_000 }] });
    transaction.sign([alice]);
    const signature = await connection.sendTransaction(transaction);
    await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
    const sent = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(sent?.version).toBe(0);
    expect(sent?.meta).toMatchObject({ fee: 6_000, computeUnitsConsumed: trial.value.unitsConsumed });
    expect(sent?.meta?.loadedAddresses?.writable.map(String)).toEqual([bob.toBase58()]);
    expect(await connection.getBalance(bob)).toBe(3_000_000);
    expect((await connection.getSignaturesForAddress(bob))[0]?.memo).toBe('[8] für Bob');
    await expect(connection.getTransaction(signature)).rejects.toThrow('maxSupportedTransactionVersion');
  });

  it('works with @solana/spl-token: a mint, accounts, minting, transfers, delegates, closing', async () => {
    const connection = open();
    const [alice, bob] = [await funded(connection), Keypair.generate()];
    const mint = await spl.createMint(connection, alice, alice.publicKey, null, 6);
    const [from, to] = await Promise.all(
      [alice.publicKey, bob.publicKey].map((owner) =>
        spl.getOrCreateAssociatedTokenAccount(connection, alice, mint, owner),
      ),
    );
    if (from === undefined || to === undefined) throw new Error('no token accounts');
    await spl.mintTo(connection, alice, mint, from.address, alice, 1_000_000);
    await spl.transferChecked(connection, alice, from.address, mint, to.address, alice, 400_000, 6);
    expect((await spl.getAccount(connection, to.address)).amount).toBe(400_000n);
    expect((await spl.getMint(connection, mint)).supply).toBe(1_000_000n);
    const parsed = await connection.getParsedTokenAccountsByOwner(bob.publicKey, { mint });
    expect(parsed.value[0]?.account.data.parsed).toMatchObject({
      type: 'account',
      info: {
        mint: mint.toBase58(),
        owner: bob.publicKey.toBase58(),
        tokenAmount: { uiAmountString: '0.4', decimals: 6 },
      },
    });
    expect((await connection.getTokenAccountBalance(from.address)).value.uiAmount).toBe(0.6);
    expect((await connection.getTokenSupply(mint)).value.amount).toBe('1000000');
    expect((await connection.getTokenLargestAccounts(mint)).value.map(({ amount }) => amount)).toEqual([
      '600000',
      '400000',
    ]);
    await spl.approve(connection, alice, from.address, bob.publicKey, alice, 5);
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint.toBase58() } }];
    expect(await connection.getProgramAccounts(spl.TOKEN_PROGRAM_ID, { filters })).toHaveLength(2);
    await spl.transfer(connection, alice, from.address, to.address, alice, 600_000);
    await spl.closeAccount(connection, alice, from.address, alice.publicKey, alice);
    expect(await connection.getAccountInfo(from.address)).toBeNull();
    const [last] = await connection.getSignaturesForAddress(to.address, { limit: 1 });
    const moved = await connection.getParsedTransaction(last?.signature ?? '');
    expect(
      moved?.meta?.postTokenBalances?.map(({ uiTokenAmount }) => uiTokenAmount.amount).toSorted(),
    ).toEqual(['0', '1000000']);
  });

  it('deposits SOL and USDC into the bank from a dev wallet', async () => {
    const connection = open();
    const alice = Keypair.fromSecretKey(secretOf(ready(), 0));
    const customer = await Customer.signedIn(ready(), alice.secretKey);
    const treasury = new PublicKey(ready().treasury);
    const sol = await sendAndConfirmTransaction(
      connection,
      new Transaction().add(pay(alice, treasury, 1.5 * LAMPORTS_PER_SOL)),
      [alice],
    );
    const mint = new PublicKey(ready().usdcMint);
    const [from, to] = [alice.publicKey, treasury].map((owner) =>
      spl.getAssociatedTokenAddressSync(mint, owner),
    ) as [PublicKey, PublicKey];
    const usdc = await spl.transferChecked(connection, alice, from, mint, to, alice, 25_000_000, 6);
    await customer.record(1.5, 'SOL', sol);
    await customer.record(25, 'USDC', usdc);
    expect(await customer.checking()).toEqual({ usdc: 25, sol: 1.5 });
    expect(
      await customer.post('/agent/account/deposit', { amount: 25, token: 'USDC', tx_signature: usdc }),
    ).toMatchObject({
      code: 'transaction_already_recorded',
    });
    onTestFinished(() => undefined);
  });
});
