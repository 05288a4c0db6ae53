// @module-tag slow
import * as kit from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SystemProgram,
  Transaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { ENGINES, simulator } from './support.js';
import { closed } from '../support/waiting.js';

/** `npm run soak` sends 200. */
const PAYMENTS = Number(process.env['EQUAL_PAYMENTS'] ?? 20);
const LAMPORTS = 1_000_000;

/** A connection, a payer with a SOL, and an address to pay. */
async function funded({ rpcUrl, webSocketUrl }: { rpcUrl: string; webSocketUrl: string }) {
  const connection = new Connection(rpcUrl, { wsEndpoint: webSocketUrl, commitment: 'confirmed' });
  const payer = Keypair.generate();
  const latest = await connection.getLatestBlockhash();
  const signature = await connection.requestAirdrop(payer.publicKey, LAMPORTS_PER_SOL);
  await connection.confirmTransaction({ signature, ...latest });
  return { connection, payer, to: Keypair.generate().publicKey };
}

describe.each(ENGINES)(`${PAYMENTS} equal payments in a row on %s`, (engine) => {
  const ready = simulator(engine);

  it('are accepted from @solana/web3.js, each confirmed before the next', { timeout: 60_000 }, async () => {
    const { connection, payer, to } = await funded(ready());
    for (let round = 0; round < PAYMENTS; round += 1) {
      const payment = new Transaction({
        feePayer: payer.publicKey,
        ...(await connection.getLatestBlockhash()),
      });
      payment.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: LAMPORTS }));
      payment.sign(payer);
      const sent = await connection.sendRawTransaction(payment.serialize());
      const { value } = await connection.confirmTransaction({
        signature: sent,
        blockhash: payment.recentBlockhash as string,
        lastValidBlockHeight: payment.lastValidBlockHeight as number,
      });
      expect(value.err).toBeNull();
    }
    expect(await connection.getBalance(to)).toBe(PAYMENTS * LAMPORTS);
    await closed(connection);
  });

  it('are accepted from @solana/web3.js with its own cache of blockhashes', { timeout: 60_000 }, async () => {
    const { connection, payer, to } = await funded(ready());
    for (let round = 0; round < PAYMENTS; round += 1) {
      const payment = new Transaction();
      payment.add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: LAMPORTS }));
      await sendAndConfirmTransaction(connection, payment, [payer]);
    }
    expect(await connection.getBalance(to)).toBe(PAYMENTS * LAMPORTS);
    await closed(connection);
  });

  it('are accepted from @solana/kit, each confirmed before the next', async () => {
    const { rpcUrl } = ready();
    const rpc = kit.createSolanaRpc(rpcUrl);
    const rpcSubscriptions = kit.createSolanaRpcSubscriptions(rpcUrl.replace('http', 'ws'));
    const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
    const payer = await kit.generateKeyPairSigner();
    const to = (await kit.generateKeyPairSigner()).address;
    await kit.airdropFactory({ rpc, rpcSubscriptions })({
      commitment: 'confirmed',
      lamports: kit.lamports(BigInt(LAMPORTS_PER_SOL)),
      recipientAddress: payer.address,
    });
    for (let round = 0; round < PAYMENTS; round += 1) {
      const { value: latest } = await rpc.getLatestBlockhash().send();
      const transfer = getTransferSolInstruction({ source: payer, destination: to, amount: LAMPORTS });
      const message = kit.pipe(
        kit.createTransactionMessage({ version: 0 }),
        (made) => kit.setTransactionMessageFeePayerSigner(payer, made),
        (made) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, made),
        (made) => kit.appendTransactionMessageInstruction(transfer, made),
      );
      const signed = await kit.signTransactionMessageWithSigners(message);
      await sendAndConfirm(signed as never, { commitment: 'confirmed' });
    }
    const { value } = await rpc.getBalance(to).send();
    expect(value).toBe(BigInt(PAYMENTS * LAMPORTS));
  }, 60_000);
});
