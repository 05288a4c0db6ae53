// @module-tag slow
import * as kit from '@solana/kit';
import {
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  fetchNonce,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { NONCE_ACCOUNT_LENGTH } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { KitClient, connected, kitAddress, kitTransfer } from './clients.js';
import { NoncePayer, RENT } from '../support/nonce-payer.js';
import { ENGINES, world } from '../support/world.js';

const LAMPORTS = 1_000_000;

// What a nonce allows and refuses: test/chain/nonces.test.ts.
describe.each(ENGINES)('durable nonces on %s', (engine) => {
  it('are read, used and confirmed by @solana/web3.js', async () => {
    const sim = await world({ engine });
    const connection = connected((await sim.listenRpc()).url);
    const payer = await NoncePayer.of(sim);
    const { publicKey: nonceAccountPubkey } = payer.nonce;
    const nonce = async () =>
      (await connection.getNonce(nonceAccountPubkey))?.nonce ?? expect.fail('there is no nonce account');
    const nonceValue = await nonce();
    const signature = await connection.sendRawTransaction(await payer.signed(payer.pay(LAMPORTS)));
    const strategy = { signature, nonceAccountPubkey, nonceValue, minContextSlot: 0 };
    expect((await connection.confirmTransaction(strategy)).value.err).toBeNull();
    expect(await nonce()).not.toBe(nonceValue);
    expect(await connection.getBalance(nonceAccountPubkey)).toBe(RENT + LAMPORTS);
  });

  it('are used and confirmed by @solana/kit', async () => {
    const sim = await world({ engine });
    const client = new KitClient((await sim.listenRpc()).url);
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
