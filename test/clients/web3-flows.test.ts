// @module-tag slow
import {
  type AccountInfo,
  type KeyedAccountInfo,
  Keypair,
  LAMPORTS_PER_SOL as SOL,
  type Logs,
  PublicKey,
  type SignatureResult,
  type SlotInfo,
  SystemProgram,
  Transaction,
  TransactionExpiredBlockheightExceededError,
  TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { connected, funded, send, transfer } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { FEE, Collector } from '../support/waiting.js';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const memo = (text: string): TransactionInstruction =>
  new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from(text) });
const address = (): PublicKey => Keypair.generate().publicKey;

describe.each(ENGINES)('@solana/web3.js in depth on %s', (engine) => {
  const sim = simulator(engine);

  it('confirms with each strategy, and reports an expired blockhash', async () => {
    const connection = connected(sim().rpcUrl);
    const payer = await funded(connection);
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    expect(lastValidBlockHeight - (await connection.getBlockHeight())).toBeGreaterThan(140);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    const unsigned = (hash: string) =>
      new Transaction({ feePayer: payer.publicKey, blockhash: hash, lastValidBlockHeight }).add(
        transfer(payer, payer.publicKey, 1),
      );
    const transaction = unsigned(blockhash);
    expect((await connection.getFeeForMessage(transaction.compileMessage())).value).toBe(FEE);
    transaction.sign(payer);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    const strategy = { signature, blockhash, lastValidBlockHeight };
    expect((await connection.confirmTransaction(strategy, 'finalized')).value.err).toBeNull();
    // By signature alone, after it ran.
    expect((await connection.confirmTransaction(signature)).value.err).toBeNull();
    const lost = { ...strategy, signature: bs58.encode(nacl.randomBytes(64)) };
    const passed = { ...lost, lastValidBlockHeight: (await connection.getBlockHeight()) - 1 };
    await expect(connection.confirmTransaction(passed)).rejects.toThrow(
      TransactionExpiredBlockheightExceededError,
    );
    const never = unsigned(address().toBase58());
    never.sign(payer);
    await expect(connection.sendRawTransaction(never.serialize())).rejects.toThrow(/Blockhash not found/);
    await expect(connection.sendRawTransaction(transaction.serialize())).rejects.toThrow(
      /This transaction has already been processed/,
    );
    const { value } = await connection.getSignatureStatuses([signature, lost.signature]);
    expect(value).toMatchObject([{ err: null, confirmationStatus: 'finalized', confirmations: null }, null]);
    expect(await connection.getBalance(payer.publicKey)).toBe(SOL - FEE);
  });

  it('receives each notification once, and none after it unsubscribes', async () => {
    const connection = connected(sim().rpcUrl);
    const payer = await funded(connection);
    const to = address();
    const [accounts, programs] = [new Collector<AccountInfo<Buffer>>(), new Collector<KeyedAccountInfo>()];
    const [logs, signatures] = [new Collector<Logs>(), new Collector<SignatureResult>()];
    const [slots, roots] = [new Collector<SlotInfo>(), new Collector<number>()];
    const accountId = connection.onAccountChange(to, accounts.add);
    const filters = [{ dataSize: 0 }];
    const programId = connection.onProgramAccountChange(SystemProgram.programId, programs.add, { filters });
    const logsId = connection.onLogs(to, logs.add);
    const [slotId, rootId] = [connection.onSlotChange(slots.add), connection.onRootChange(roots.add)];
    const { slot } = await slots.first();
    // All subscriptions were requested on one socket before this notification arrived, so they are active.
    const next = await slots.first((one) => one.slot > slot);
    expect(next).toMatchObject({ parent: next.slot - 1 });
    await roots.first((root) => root >= slot);
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      ...(await connection.getLatestBlockhash()),
    });
    transaction.add(transfer(payer, to, 7_000_000), memo('heard')).sign(payer);
    const signature = bs58.encode(transaction.signature as Uint8Array);
    connection.onSignature(signature, signatures.add);
    await connection.sendRawTransaction(transaction.serialize());
    expect(await signatures.first()).toEqual({ err: null });
    expect(await accounts.first()).toMatchObject({ lamports: 7_000_000, owner: SystemProgram.programId });
    const keyed = await programs.first((one) => one.accountId.equals(to));
    expect(keyed.accountInfo.lamports).toBe(7_000_000);
    const received = await logs.first();
    expect(received).toMatchObject({ signature, err: null });
    expect(received.logs.join('\n')).toContain('heard');
    await connection.removeAccountChangeListener(accountId);
    await connection.removeProgramAccountChangeListener(programId);
    await connection.removeOnLogsListener(logsId);
    await connection.removeSlotChangeListener(slotId);
    await connection.removeRootChangeListener(rootId);
    await send(connection, payer, transfer(payer, to, 1_000_000));
    expect([accounts.all.length, logs.all.length, signatures.all.length]).toEqual([1, 1, 1]);
  });
});
