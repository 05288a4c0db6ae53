import { type KeyObject, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { sentenceOf } from '../domain/errors.js';
import { DECIMALS, type Token, parseAmount } from '../domain/money.js';

// RFC 8410: what stands before the 32 bytes of an ed25519 seed in DER.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A way to a Solana chain: in this process, or over JSON-RPC. */
export interface ChainConnection {
  latestBlockhash(): { readonly blockhash: string } | Promise<{ readonly blockhash: string }>;
  /** Runs a serialized transaction; rejects with the chain's own error when it is refused. */
  sendTransaction(bytes: Uint8Array): Promise<{ readonly signature: string }>;
}

/** What a wallet sends: token units, as a JSON number would say them. */
export interface TokenTransfer {
  readonly token: Token;
  readonly to: string;
  readonly amount: number;
  /** The mint of USDC on this network; not needed for SOL. */
  readonly usdcMint: string;
}

/** A Solana wallet of an agent: signs challenges, sends SOL and USDC. */
export class AgentWallet {
  readonly address: string;
  readonly #secret: Uint8Array;
  /** Made for the first signature: many a wallet only receives. */
  #key: KeyObject | null = null;
  #sent = 0;

  private constructor(secret: Uint8Array) {
    this.#secret = secret;
    this.address = bs58.encode(secret.subarray(32));
  }

  /** A wallet from its 64 secret bytes, or from base58 of them. Throws RangeError for other lengths. */
  static fromSecretKey(secretKey: string | Uint8Array): AgentWallet {
    const bytes = typeof secretKey === 'string' ? bs58.decode(secretKey) : secretKey;
    if (bytes.length !== 64) throw new RangeError(`a secret key has 64 bytes, not ${bytes.length}`);
    return new AgentWallet(bytes);
  }

  /** A new wallet. */
  static generate(): AgentWallet {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    return new AgentWallet(
      Buffer.concat([seed, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]),
    );
  }

  /** base58 of the 64 secret bytes. */
  secretKey(): string {
    return bs58.encode(this.#secret);
  }

  /** The detached ed25519 signature of a message. */
  sign(message: Uint8Array): Uint8Array {
    if (this.#key === null) {
      const der = Buffer.concat([PKCS8_PREFIX, this.#secret.subarray(0, 32)]);
      this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    }
    return sign(null, message, this.#key);
  }

  /** base58 of the signature over the UTF-8 bytes of a text, as the service wants a challenge signed. */
  signText(text: string): string {
    return bs58.encode(this.sign(Buffer.from(text, 'utf8')));
  }

  /** Sends SOL or USDC and gives the signature; makes the recipient's token account when it is missing. */
  async send(chain: ChainConnection, transfer: TokenTransfer): Promise<string> {
    const { blockhash } = await chain.latestBlockhash();
    const { signature } = await chain.sendTransaction(await this.#transaction(transfer, blockhash));
    return signature;
  }

  async #transaction(transfer: TokenTransfer, blockhash: string): Promise<Uint8Array> {
    const parsed = parseAmount(transfer.amount, transfer.token);
    if (!parsed.ok) throw new RangeError(sentenceOf(parsed.refusal));
    const web3 = await import('@solana/web3.js');
    const payer = new web3.PublicKey(this.address);
    const to = new web3.PublicKey(transfer.to);
    this.#sent += 1;
    // Two equal transfers under one blockhash would be one transaction: the limit tells them apart.
    const distinct = web3.ComputeBudgetProgram.setComputeUnitLimit({
      units: 200_000 + (this.#sent % 100_000),
    });
    const instructions = [distinct];
    if (transfer.token === 'SOL') {
      instructions.push(
        web3.SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: parsed.value }),
      );
    } else {
      const spl = await import('@solana/spl-token');
      const mint = new web3.PublicKey(transfer.usdcMint);
      const source = spl.getAssociatedTokenAddressSync(mint, payer, true);
      const target = spl.getAssociatedTokenAddressSync(mint, to, true);
      instructions.push(
        spl.createAssociatedTokenAccountIdempotentInstruction(payer, target, to, mint),
        spl.createTransferCheckedInstruction(source, mint, target, payer, parsed.value, DECIMALS.USDC),
      );
    }
    const message = new web3.TransactionMessage({
      payerKey: payer,
      recentBlockhash: blockhash,
      instructions,
    });
    const transaction = new web3.VersionedTransaction(message.compileToV0Message());
    transaction.addSignature(payer, this.sign(transaction.message.serialize()));
    return transaction.serialize();
  }
}
