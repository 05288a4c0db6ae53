import * as kit from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  type PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import { expect, onTestFinished } from 'vitest';
import { closed } from '../support/waiting.js';

/** A connection of @solana/web3.js until the end of the test; it expects WebSockets one port higher. */
export function connected(rpcUrl: string): Connection {
  const connection = new Connection(rpcUrl, 'confirmed');
  onTestFinished(() => closed(connection));
  return connection;
}

/** A new key of @solana/web3.js with a SOL. */
export async function funded(connection: Connection): Promise<Keypair> {
  const keys = Keypair.generate();
  const latest = await connection.getLatestBlockhash();
  const signature = await connection.requestAirdrop(keys.publicKey, LAMPORTS_PER_SOL);
  expect((await connection.confirmTransaction({ signature, ...latest })).value.err).toBeNull();
  return keys;
}

export function transfer(from: Keypair, to: PublicKey, lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
}

/** Sends a transaction by @solana/web3.js and resolves to its signature once it is confirmed. */
export function send(
  connection: Connection,
  signer: Keypair,
  ...instructions: TransactionInstruction[]
): Promise<string> {
  return sendAndConfirmTransaction(connection, new Transaction().add(...instructions), [signer]);
}

/** The address of a new key, by @solana/kit. */
export async function kitAddress(): Promise<kit.Address> {
  return (await kit.generateKeyPairSigner()).address;
}

/** A transfer of lamports by @solana/kit. */
export function kitTransfer(
  source: kit.TransactionSigner,
  destination: kit.Address,
  amount: number | bigint,
) {
  return getTransferSolInstruction({ source, destination, amount });
}

export type Lifetime = Parameters<typeof kit.setTransactionMessageLifetimeUsingBlockhash>[0];

/** Sends, and waits for confirmation, as programs that use @solana/kit do. */
export class KitClient {
  readonly rpc: kit.Rpc<kit.SolanaRpcApi>;
  readonly rpcSubscriptions: kit.RpcSubscriptions<kit.SolanaRpcSubscriptionsApi>;

  /** The HTTP port serves WebSockets, too. */
  constructor(rpcUrl: string, webSocketUrl: string = rpcUrl.replace('http', 'ws')) {
    this.rpc = kit.createSolanaRpc(rpcUrl);
    this.rpcSubscriptions = kit.createSolanaRpcSubscriptions(webSocketUrl);
  }

  /** A signed transaction; with the latest blockhash unless it has another lifetime. */
  async build(
    payer: kit.TransactionSigner,
    instructions: readonly kit.Instruction[],
    { lifetime }: { lifetime?: Lifetime } = {},
  ) {
    const blockhash = lifetime ?? (await this.rpc.getLatestBlockhash().send()).value;
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (empty) => kit.setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => kit.setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
      (living) => kit.appendTransactionMessageInstructions(instructions, living),
    );
    const signed = await kit.signTransactionMessageWithSigners(message);
    kit.assertIsSendableTransaction(signed);
    kit.assertIsTransactionWithBlockhashLifetime(signed);
    return signed;
  }

  /** Sends a transaction and resolves to its signature once it is confirmed. */
  async confirmed(
    transaction: Awaited<ReturnType<KitClient['build']>>,
    options: { skipPreflight?: boolean } = {},
  ): Promise<kit.Signature> {
    await kit.sendAndConfirmTransactionFactory(this)(transaction, { commitment: 'confirmed', ...options });
    return kit.getSignatureFromTransaction(transaction);
  }

  async send(payer: kit.TransactionSigner, ...instructions: kit.Instruction[]): Promise<kit.Signature> {
    return this.confirmed(await this.build(payer, instructions));
  }

  /** A new key with a SOL. */
  async funded(): Promise<kit.KeyPairSigner> {
    const signer = await kit.generateKeyPairSigner();
    const lamports = kit.lamports(BigInt(LAMPORTS_PER_SOL));
    await kit.airdropFactory(this)({
      recipientAddress: signer.address,
      lamports,
      commitment: 'confirmed',
    });
    return signer;
  }

  async balance(of: kit.Address): Promise<bigint> {
    return (await this.rpc.getBalance(of).send()).value;
  }
}
