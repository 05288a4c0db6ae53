import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { ModelConfig } from './types.js';

/** The USDC mints of both networks; both exist on the chain. Source: docs/reference/fidelity.md, Variants of the description. */
export const USDC_MINTS: readonly string[] = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
];
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const TOKEN_PROGRAM = bs58.decode('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ASSOCIATED_PROGRAM = bs58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** The prime and the constant of ed25519. Source: RFC 8032. */
const P = 2n ** 255n - 19n;
const D =
  37_095_705_934_669_439_343_138_083_508_754_565_189_542_113_879_843_219_016_388_785_533_085_940_283_555n;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest /= 2n) {
    if (rest % 2n === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

/** Whether 32 bytes encode a point of ed25519: whether there is an x with x² = (y² - 1) / (d y² + 1). */
function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n;
  for (const byte of bytes.toReversed()) y = y * 256n + BigInt(byte);
  y %= 2n ** 255n;
  const square = (y * y) % P;
  const xx = ((square - 1n + P) * power(D * square + 1n, P - 2n)) % P;
  return xx === 0n || power(xx, (P - 1n) / 2n) === 1n;
}

/** A wallet's associated token account: the first candidate address off the curve, so that no key can sign for it. */
function associatedAccount(wallet: string, mint: string): string {
  const seeds = [bs58.decode(wallet), TOKEN_PROGRAM, bs58.decode(mint)];
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    hash.update(Uint8Array.of(bump)).update(ASSOCIATED_PROGRAM).update('ProgramDerivedAddress');
    const address = hash.digest();
    if (!isOnCurve(address)) return bs58.encode(address);
  }
  throw new RangeError(`no token account of ${wallet}`);
}

interface Known {
  readonly modelConfig: ModelConfig;
  readonly agents: ReadonlyMap<string, unknown>;
  readonly chain: { hasTokenAccount(owner: string): boolean };
}

/** Computed on demand. */
export class TokenAccounts {
  readonly #mint: string;
  readonly #accounts = new Map<string, string>();
  readonly #wallets = new Set<string>();
  readonly #customers = new Set<string>();

  constructor(mint: string) {
    this.#mint = mint;
  }

  /**
   * Whether an address is a mint, or an existing USDC account of a wallet of the world, the treasury, a customer or its collection address.
   */
  has({ modelConfig, agents, chain }: Known, address: string): boolean {
    if (address === this.#mint || address === WRAPPED_SOL || USDC_MINTS.includes(address)) return true;
    if (agents.has(address) || address === modelConfig.treasury) return false;
    this.#add(modelConfig.treasury);
    for (const wallet of modelConfig.tokenHolders) this.#add(wallet);
    for (const wallet of agents.keys()) {
      if (this.#customers.has(wallet)) continue;
      this.#customers.add(wallet);
      this.#add(wallet);
      this.#add(modelConfig.collectionOf(wallet));
    }
    const owner = this.#accounts.get(address);
    return owner !== undefined && chain.hasTokenAccount(owner);
  }

  #add(wallet: string): void {
    if (this.#wallets.has(wallet)) return;
    this.#wallets.add(wallet);
    this.#accounts.set(associatedAccount(wallet, this.#mint), wallet);
  }
}
