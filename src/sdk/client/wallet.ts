import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { type Token, baseUnits } from '../../core/domain/money.js';
import { SecretKey } from '../../core/ed25519.js';
import { type SecretKeySource, secretKeyBytes, secretKeyInFile } from '../../core/secret-key.js';
import { type Outgoing, outgoingTransaction } from './outgoing.js';

/** A connection to a Solana chain: in-process, or over JSON-RPC. */
export interface ChainConnection {
  latestBlockhash(): { readonly blockhash: string } | Promise<{ readonly blockhash: string }>;
  /** Submits a serialized transaction; rejects with the chain's error when the chain refuses it. */
  sendTransaction(bytes: Uint8Array): Promise<{ readonly signature: string }>;
}

/** A transfer by a wallet, in token units as a JSON number. */
export interface TokenTransfer {
  readonly token: Token;
  readonly to: string;
  readonly amount: number;
  /** The mint of USDC on this network; not needed for SOL. */
  readonly usdcMint: string;
}

/** An agent's Solana wallet: signs challenges, sends SOL and USDC. */
export class AgentWallet {
  readonly address: string;
  readonly #key: SecretKey;
  #sent = 0;

  private constructor(key: SecretKey, address = bs58.encode(key.publicKey)) {
    this.#key = key;
    this.address = address;
  }

  /** @internal Signs for an address whose own key is unknown, where a world accepts the key of `standIn` for it. */
  static standingFor(address: string, standIn: AgentWallet): AgentWallet {
    return new AgentWallet(standIn.#key, address);
  }

  /**
   * A wallet from its 64 secret bytes: as base58, as a JSON array of numbers (text or array, as written by solana-keygen), or raw.
   * Throws RangeError, whose message does not contain the key.
   */
  static fromSecretKey(secretKey: SecretKeySource): AgentWallet {
    return new AgentWallet(new SecretKey(secretKeyBytes(secretKey)));
  }

  /** A wallet from a file with its secret key as base58 or a JSON array. Throws RangeError. */
  static fromFile(path: string): AgentWallet {
    return new AgentWallet(new SecretKey(secretKeyInFile(path)));
  }

  static generate(): AgentWallet {
    return new AgentWallet(SecretKey.ofSeed(randomBytes(32)));
  }

  /** base58 of the 64 secret bytes. */
  secretKey(): string {
    return bs58.encode(this.#key.bytes);
  }

  /** The detached ed25519 signature of a message. */
  sign(message: Uint8Array): Uint8Array {
    return this.#key.sign(message);
  }

  /** base58 of the signature over the UTF-8 bytes of a text, as the service expects for a challenge. */
  signText(text: string): string {
    return bs58.encode(this.sign(Buffer.from(text, 'utf8')));
  }

  /** Sends SOL or USDC and resolves to the signature; creates the recipient's token account when it is missing. */
  async send(chain: ChainConnection, transfer: TokenTransfer): Promise<string> {
    return (await chain.sendTransaction(await this.signTransfer(chain, transfer))).signature;
  }

  /** The serialized transaction of `send`, for a sender that may have to send it again: a chain runs it once. Rejects with RangeError. */
  async signTransfer(
    chain: Pick<ChainConnection, 'latestBlockhash'>,
    { token, to, amount, usdcMint }: TokenTransfer,
  ): Promise<Uint8Array> {
    const amountBase = baseUnits(amount, token);
    return this.#signed(chain, [
      token === 'SOL' ? { kind: 'sol', to, amountBase } : { kind: 'token', to, amountBase, mint: usdcMint },
    ]);
  }

  /** Performs several actions in one transaction, co-signed by `cosigners`, and resolves to its signature. */
  async sendAll(
    chain: ChainConnection,
    outgoing: readonly Outgoing[],
    cosigners: readonly AgentWallet[] = [],
  ): Promise<string> {
    return (await chain.sendTransaction(await this.#signed(chain, outgoing, cosigners))).signature;
  }

  async #signed(
    chain: Pick<ChainConnection, 'latestBlockhash'>,
    outgoing: readonly Outgoing[],
    cosigners: readonly AgentWallet[] = [],
  ): Promise<Uint8Array> {
    const { blockhash } = await chain.latestBlockhash();
    this.#sent += 1;
    return outgoingTransaction([this, ...cosigners], outgoing, { number: this.#sent, blockhash });
  }
}
