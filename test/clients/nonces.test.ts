// @module-tag slow
import * as kit from '@solana/kit';
import {
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  fetchNonce,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  NONCE_ACCOUNT_LENGTH,
  type NonceAccount,
  type PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KitClient, funded, kitAddress, kitTransfer, send, transfer } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { closed } from '../support/waiting.js';

const FEE = 5_000;
const LAMPORTS = 1_000_000;

describe.each(ENGINES)('durable nonces from @solana/web3.js on %s', (engine) => {
  const ready = simulator(engine);
  let connection: Connection;
  beforeAll(() => {
    connection = new Connection(ready().rpcUrl, 'confirmed');
  });
  afterAll(() => closed(connection));

  const nonceAt = async (address: PublicKey): Promise<NonceAccount> =>
    (await connection.getNonce(address)) ?? expect.fail('there is no nonce account');
  const createNonce = async (payer: Keypair): Promise<PublicKey> => {
    const nonce = Keypair.generate();
    const create = SystemProgram.createNonceAccount({
      fromPubkey: payer.publicKey,
      noncePubkey: nonce.publicKey,
      authorizedPubkey: payer.publicKey,
      lamports: await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH),
    });
    await sendAndConfirmTransaction(connection, create, [payer, nonce]);
    return nonce.publicKey;
  };
  /** A payer with a nonce account, and an address to pay. */
  const opened = async () => {
    const payer = await funded(connection);
    return { payer, nonce: await createNonce(payer), to: Keypair.generate().publicKey };
  };
  const withNonce = async (
    payer: Keypair,
    noncePubkey: PublicKey,
    ...instructions: TransactionInstruction[]
  ): Promise<Transaction> => {
    const { nonce } = await nonceAt(noncePubkey);
    const nonceInstruction = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey: payer.publicKey });
    const minContextSlot = await connection.getSlot();
    const nonceInfo = { nonce, nonceInstruction };
    const transaction = new Transaction({ feePayer: payer.publicKey, nonceInfo, minContextSlot });
    transaction.add(...instructions);
    transaction.sign(payer);
    return transaction;
  };
  const payment = (from: Keypair, to: PublicKey) => transfer(from, to, LAMPORTS);

  it('gives every nonce account a value of its own', async () => {
    const { payer, nonce } = await opened();
    const first = await nonceAt(nonce);
    const second = await nonceAt(await createNonce(payer));
    expect(first.nonce).not.toBe(second.nonce);
    expect(first.authorizedPubkey).toEqual(payer.publicKey);
  });

  it('runs a transaction once, and advances the nonce', async () => {
    const { payer, nonce, to } = await opened();
    const sent = await withNonce(payer, nonce, payment(payer, to));
    const before = (await nonceAt(nonce)).nonce;
    const signature = await connection.sendRawTransaction(sent.serialize());
    const { value } = await connection.confirmTransaction({
      signature,
      nonceAccountPubkey: nonce,
      nonceValue: before,
      minContextSlot: 0,
    });
    expect(value.err).toBeNull();
    expect((await nonceAt(nonce)).nonce).not.toBe(before);
    await expect(connection.sendRawTransaction(sent.serialize())).rejects.toThrow(
      /Blockhash not found|already been processed/,
    );
    expect(await connection.getBalance(to)).toBe(LAMPORTS);
  });

  it('refuses a value that is no longer current, and one without the signature of its authority', async () => {
    const { payer, nonce, to } = await opened();
    const early = await withNonce(payer, nonce, payment(payer, to));
    const late = await withNonce(payer, nonce, payment(payer, payer.publicKey));
    await connection.sendRawTransaction(late.serialize());
    await expect(connection.sendRawTransaction(early.serialize())).rejects.toThrow(/Blockhash not found/);
    const stranger = await funded(connection);
    const stolen = await withNonce(stranger, nonce, payment(stranger, to));
    await expect(connection.sendRawTransaction(stolen.serialize())).rejects.toThrow(/Blockhash not found/);
    expect(await connection.getBalance(to)).toBe(0);
  });

  it('advances the nonce and charges the fee when a transaction without preflight fails', async () => {
    const { payer, nonce, to } = await opened();
    const before = (await nonceAt(nonce)).nonce;
    const balance = await connection.getBalance(payer.publicKey);
    const sent = await withNonce(payer, nonce, transfer(payer, to, 2 * LAMPORTS_PER_SOL));
    await connection.sendRawTransaction(sent.serialize(), { skipPreflight: true });
    expect((await nonceAt(nonce)).nonce).not.toBe(before);
    expect(await connection.getBalance(payer.publicKey)).toBe(balance - FEE);
  });

  it('hands a nonce to another authority and closes it', async () => {
    const { payer, nonce } = await opened();
    const other = await funded(connection);
    const authorize = SystemProgram.nonceAuthorize({
      noncePubkey: nonce,
      authorizedPubkey: payer.publicKey,
      newAuthorizedPubkey: other.publicKey,
    });
    await send(connection, payer, authorize);
    expect((await nonceAt(nonce)).authorizedPubkey).toEqual(other.publicKey);
    const lamports = await connection.getBalance(nonce);
    const withdraw = SystemProgram.nonceWithdraw({
      noncePubkey: nonce,
      authorizedPubkey: other.publicKey,
      toPubkey: payer.publicKey,
      lamports,
    });
    await send(connection, other, withdraw);
    expect(await connection.getAccountInfo(nonce)).toBeNull();
  });
});

describe.each(ENGINES)('durable nonces from @solana/kit on %s', (engine) => {
  const ready = simulator(engine);

  it('sends and confirms transactions with a nonce', async () => {
    const client = new KitClient(ready().rpcUrl);
    const { rpc } = client;
    const payer = await client.funded();
    const account = await kit.generateKeyPairSigner();
    const to = await kitAddress();
    await client.send(
      payer,
      getCreateAccountInstruction({
        payer,
        newAccount: account,
        lamports: await rpc.getMinimumBalanceForRentExemption(BigInt(NONCE_ACCOUNT_LENGTH)).send(),
        space: NONCE_ACCOUNT_LENGTH,
        programAddress: SYSTEM_PROGRAM_ADDRESS,
      }),
      getInitializeNonceAccountInstruction({
        nonceAccount: account.address,
        nonceAuthority: payer.address,
      }),
    );
    const sendAndConfirm = kit.sendAndConfirmDurableNonceTransactionFactory(client);
    for (let round = 0; round < 3; round += 1) {
      const { data } = await fetchNonce(rpc, account.address);
      const message = kit.pipe(
        kit.createTransactionMessage({ version: 0 }),
        (made) => kit.setTransactionMessageFeePayerSigner(payer, made),
        (made) =>
          kit.setTransactionMessageLifetimeUsingDurableNonce(
            {
              nonce: data.blockhash as string as kit.Nonce,
              nonceAccountAddress: account.address,
              nonceAuthorityAddress: payer.address,
            },
            made,
          ),
        (made) => kit.appendTransactionMessageInstruction(kitTransfer(payer, to, LAMPORTS), made),
      );
      const signed = await kit.signTransactionMessageWithSigners(message);
      await sendAndConfirm(signed as never, { commitment: 'confirmed' });
    }
    expect(await client.balance(to)).toBe(BigInt(3 * LAMPORTS));
  });
});
