// @module-tag slow
import * as kit from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { Connection, Keypair, Transaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { KitClient, funded, send, transfer } from './clients.js';
import type { Ready } from '../cli/process.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { closed } from '../support/waiting.js';

/** `npm run soak` sends 200. */
const PAYMENTS = Number(process.env['EQUAL_PAYMENTS'] ?? 20);
const LAMPORTS = 1_000_000;

/** A connection, a payer with a SOL, and an address to pay. */
async function opened({ rpcUrl, webSocketUrl }: Ready) {
  const connection = new Connection(rpcUrl, { wsEndpoint: webSocketUrl, commitment: 'confirmed' });
  return { connection, payer: await funded(connection), to: Keypair.generate().publicKey };
}

describe.each(ENGINES)(`${PAYMENTS} equal payments in a row on %s`, (engine) => {
  const ready = simulator(engine);

  it('are accepted from @solana/web3.js, each confirmed before the next', { timeout: 60_000 }, async () => {
    const { connection, payer, to } = await opened(ready());
    for (let round = 0; round < PAYMENTS; round += 1) {
      const payment = new Transaction({
        feePayer: payer.publicKey,
        ...(await connection.getLatestBlockhash()),
      });
      payment.add(transfer(payer, to, LAMPORTS));
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
    const { connection, payer, to } = await opened(ready());
    for (let round = 0; round < PAYMENTS; round += 1) {
      await send(connection, payer, transfer(payer, to, LAMPORTS));
    }
    expect(await connection.getBalance(to)).toBe(PAYMENTS * LAMPORTS);
    await closed(connection);
  });

  it('are accepted from @solana/kit, each confirmed before the next', async () => {
    const client = new KitClient(ready().rpcUrl);
    const source = await client.funded();
    const { address: destination } = await kit.generateKeyPairSigner();
    const payment = getTransferSolInstruction({ source, destination, amount: LAMPORTS });
    for (let round = 0; round < PAYMENTS; round += 1) await client.send(source, payment);
    expect(await client.balance(destination)).toBe(BigInt(PAYMENTS * LAMPORTS));
  }, 60_000);
});
