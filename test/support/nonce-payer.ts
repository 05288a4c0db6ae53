import {
  Keypair,
  NonceAccount,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { Simulator } from '../../src/simulator/simulator.js';

/** The rent minimum of a nonce account. */
export const RENT = 1_447_680;

/** A dev wallet with a nonce account, which pays by that nonce. */
export class NoncePayer {
  private constructor(
    readonly sim: Simulator,
    readonly keys: Keypair,
    readonly nonce: Keypair,
  ) {}

  static async of(sim: Simulator): Promise<NoncePayer> {
    const keys = Keypair.fromSecretKey(bs58.decode(sim.wallets[0]?.secretKey ?? ''));
    const payer = new NoncePayer(sim, keys, Keypair.fromSeed(new Uint8Array(32).fill(7)));
    const transaction = payer.creation(payer.nonce);
    transaction.sign(keys, payer.nonce);
    await sim.chain.sendTransaction(transaction.serialize());
    return payer;
  }

  /** A transaction that creates a nonce account, to be signed by the payer and the account. */
  creation(nonce: Keypair): Transaction {
    const { publicKey } = this.keys;
    const create = SystemProgram.createNonceAccount({
      fromPubkey: publicKey,
      noncePubkey: nonce.publicKey,
      authorizedPubkey: publicKey,
      lamports: RENT,
    });
    return new Transaction({ feePayer: publicKey, ...this.sim.chain.latestBlockhash() }).add(create);
  }

  async value(): Promise<string> {
    const account = await this.sim.chain.getAccount(this.nonce.publicKey.toBase58());
    return NonceAccount.fromAccountData(account?.data as Buffer).nonce;
  }

  async signed(...instructions: TransactionInstruction[]): Promise<Uint8Array> {
    const nonceInstruction = SystemProgram.nonceAdvance({
      noncePubkey: this.nonce.publicKey,
      authorizedPubkey: this.keys.publicKey,
    });
    const transaction = new Transaction({
      feePayer: this.keys.publicKey,
      nonceInfo: { nonce: await this.value(), nonceInstruction },
      minContextSlot: 0,
    });
    transaction.add(...instructions).sign(this.keys);
    return transaction.serialize();
  }

  pay(lamports: number): TransactionInstruction {
    return SystemProgram.transfer({
      fromPubkey: this.keys.publicKey,
      toPubkey: this.nonce.publicKey,
      lamports,
    });
  }
}
