import { type SignatureVerifier, verifySignature } from '../../chain/signatures.js';
import { type KeyPair, KeyRing } from '../../world/keys.js';
import type { LineOf } from '../schema.js';

/**
 * Signers of a replay: wallets of the seed use their own keys; external wallets, whose keys are unknown, use substitute keys derived from
 * the recording. Only the substitute's signature verifies for its address, so that all addresses stay the same and wrong signatures stay
 * wrong.
 */
export class SubstituteSigners implements SignatureVerifier {
  readonly #own: KeyRing;
  readonly #others: KeyRing;
  readonly #pairs = new Map<string, KeyPair>();

  constructor(seed: string) {
    this.#own = new KeyRing(seed);
    this.#others = new KeyRing(`${seed}/stand-ins`);
  }

  add({ address, key }: Pick<LineOf<'wallet'>, 'address' | 'key'>): void {
    const own = key === null ? null : this.#own.derive(key);
    if (own?.address === address) this.#pairs.set(address, own);
  }

  signerFor(address: string): KeyPair {
    const pair = this.#pairs.get(address) ?? this.#others.derive(address);
    this.#pairs.set(address, pair);
    return pair;
  }

  readonly ofMessage: SignatureVerifier['ofMessage'] = (address, message, signature) =>
    verifySignature(this.#pairs.get(address)?.address ?? address, message, signature);
}
