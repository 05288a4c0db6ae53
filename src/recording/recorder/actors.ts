import { KeyRing } from '../../world/keys.js';
import type { WalletLine } from '../schema.js';

/** The most wallets created before the recording that can be recognized. */
const MADE_BEFORE = 64;

/** The bank's own keys, by their names in the key ring. */
const HOUSE_KEYS = ['treasury', 'facilitator', 'faucet', 'mint-authority', 'lending-protocol'] as const;

/** Names for the actors of a recording, in order of appearance. */
export class Actors {
  readonly #ring: KeyRing;
  readonly #names = new Map<string, string>();
  readonly #keys = new Map<string, { readonly name: string; readonly key: string }>();
  readonly #announce: (line: WalletLine) => void;
  #outside = 0;
  #hasLookedBack = false;

  /** `announce` is called for each actor before the first use of its name. */
  constructor(
    seed: string,
    devWallets: readonly { readonly address: string }[],
    announce: (line: WalletLine) => void,
  ) {
    this.#ring = new KeyRing(seed);
    this.#announce = announce;
    for (const [at, { address }] of devWallets.entries())
      this.#keys.set(address, { name: `dev-${at}`, key: `wallet/${at}` });
    for (const key of HOUSE_KEYS) this.#keys.set(this.#ring.derive(key).address, { name: key, key });
  }

  of(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const own = this.#keys.get(address) ?? this.#madeBefore(address);
    const name = own?.name ?? `wallet-${(this.#outside += 1)}`;
    this.#names.set(address, name);
    this.#announce({ kind: 'wallet', name, address, key: own?.key ?? null });
    return name;
  }

  /** Secret keys of wallets that the world may have created before the recording started. */
  madeBefore(): string[] {
    return Array.from(
      { length: MADE_BEFORE },
      (_, at) => this.#ring.derive(`wallet/made/${at + 1}`).secretKey,
    );
  }

  /** The name of an address as far as it is known, without announcing it; otherwise the address. */
  readonly known = (address: string): string =>
    this.#names.get(address) ?? this.#keys.get(address)?.name ?? address;

  #madeBefore(address: string): { readonly name: string; readonly key: string } | undefined {
    if (!this.#hasLookedBack) {
      this.#hasLookedBack = true;
      for (let number = 1; number <= MADE_BEFORE; number += 1) {
        const key = `wallet/made/${number}`;
        this.#keys.set(this.#ring.derive(key).address, { name: `made-${number}`, key });
      }
    }
    return this.#keys.get(address);
  }
}
