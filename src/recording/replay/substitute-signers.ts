import { type SignatureVerifier, verifySignature } from '../../chain/signatures.js';
import { type KeyPair, KeyRing } from '../../world/keys.js';
import type { WalletLine } from '../schema.js';

/**
 * Signers of a replay: wallets of the seed use their own keys; external wallets, whose keys are unknown, use substitute keys derived from
 * the recording. Only the substitute's signature verifies for its address, so that all addresses stay the same and wrong signatures stay
 * wrong.
 */
export class SubstituteSigners {
  readonly #own: KeyRing;
  readonly #others: KeyRing;
  readonly #pairs = new Map<string, KeyPair>();
  readonly #standing = new Map<string, string>();

  constructor(seed: string) {
    this.#own = new KeyRing(seed);
    this.#others = new KeyRing(`${seed}/stand-ins`);
  }

  add({ address, key }: Pick<WalletLine, 'address' | 'key'>): void {
    if (key === null || this.#own.derive(key).address !== address) this.#stand(address);
    else this.#pairs.set(address, this.#own.derive(key));
  }

  signerFor(address: string): KeyPair {
    return this.#pairs.get(address) ?? this.#stand(address);
  }

  verify(): SignatureVerifier {
    return {
      ofMessage: (address, message, signature) =>
        verifySignature(this.#standing.get(address) ?? address, message, signature),
    };
  }

  #stand(address: string): KeyPair {
    const pair = this.#others.derive(address);
    this.#standing.set(address, pair.address);
    this.#pairs.set(address, pair);
    return pair;
  }
}
