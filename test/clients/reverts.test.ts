import * as kit from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { Connection, Keypair, SystemProgram, Transaction, sendAndConfirmTransaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { secretOf } from './support.js';
import { ENGINES, world } from '../support/world.js';
import { closed } from '../support/waiting.js';

const REVERTS = 10;
const LAMPORTS = 1_000_000;

describe.each(ENGINES)('clients that stay connected over reverts on %s', (engine) => {
  it('send the same transactions again with one Connection of @solana/web3.js', async () => {
    const sim = await world({ engine });
    const { url } = await sim.listenRpc();
    const connection = new Connection(url, 'confirmed');
    const payer = Keypair.fromSecretKey(secretOf(sim, 0));
    const to = Keypair.generate().publicKey;
    const pay = (lamports: number) => {
      const { publicKey: fromPubkey } = payer;
      const payment = new Transaction().add(SystemProgram.transfer({ fromPubkey, toPubkey: to, lamports }));
      return sendAndConfirmTransaction(connection, payment, [payer]);
    };
    const snapshot = await sim.snapshot();
    for (let round = 0; round < REVERTS; round += 1) {
      await pay(LAMPORTS);
      await pay(LAMPORTS);
      await sim.revert(snapshot);
      // Not signed before: with the blockhash that the connection keeps of the slots undone.
      await pay(LAMPORTS + 1 + round);
      expect(await connection.getBalance(to)).toBe(LAMPORTS + 1 + round);
      await sim.revert(snapshot);
    }
    await closed(connection);
  }, 30_000);

  it('send the same transaction again with @solana/kit, each time with a blockhash never seen before', async () => {
    const sim = await world({ engine });
    const { url, webSocketUrl } = await sim.listenRpc();
    const rpc = kit.createSolanaRpc(url);
    const rpcSubscriptions = kit.createSolanaRpcSubscriptions(webSocketUrl);
    const confirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
    const source = await kit.createKeyPairSignerFromBytes(secretOf(sim, 0));
    const { address: destination } = await kit.generateKeyPairSigner();
    const amount = kit.lamports(BigInt(LAMPORTS));
    const snapshot = await sim.snapshot();
    const seen = new Set<string>();
    for (let round = 0; round < REVERTS; round += 1) {
      const { value: latest } = await rpc.getLatestBlockhash().send();
      seen.add(latest.blockhash);
      const message = kit.pipe(
        kit.createTransactionMessage({ version: 0 }),
        (made) => kit.setTransactionMessageFeePayerSigner(source, made),
        (made) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, made),
        (made) =>
          kit.appendTransactionMessageInstruction(
            getTransferSolInstruction({ source, destination, amount }),
            made,
          ),
      );
      const signed = await kit.signTransactionMessageWithSigners(message);
      await confirm(signed as never, { commitment: 'confirmed' });
      expect((await rpc.getBalance(destination).send()).value).toBe(BigInt(LAMPORTS));
      await sim.revert(snapshot);
    }
    expect(seen.size).toBe(REVERTS);
  }, 30_000);
});
