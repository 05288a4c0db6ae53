import { type SignatureVerifier, verifySignature } from '../../chain/signatures.js';
import { type KeyPair, KeyRing } from '../../world/keys.js';
import type { WalletLine } from '../../api/recorder/format.js';

/**
 * Who signs in a replay: wallets of the seed with their own keys, wallets from outside, whose keys nobody has, by stand-ins that
 * derive from the recording. A stand-in's signature counts as one of the address that it stands for, and no other's does, so that all
 * addresses are what they were and a wrong signature is wrong.
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

  /** Makes a wallet of a recording known. */
  add({ address, key }: Pick<WalletLine, 'address' | 'key'>): void {
    if (key === null || this.#own.derive(key).address !== address) this.#stand(address);
    else this.#pairs.set(address, this.#own.derive(key));
  }

  /** Who signs for an address. */
  signerFor(address: string): KeyPair {
    return this.#pairs.get(address) ?? this.#stand(address);
  }

  /** What a world of a replay asks. */
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
