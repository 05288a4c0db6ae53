import { type DevWallet, madeWallets } from '../../runtime/dev-wallets.js';
import { KeyRing } from '../../world/keys.js';
import type { LineOf } from '../schema.js';

/** The most wallets created by a command that can be recognized. */
const MADE = 64;

/** The bank's own keys, by their names in the key ring. */
const HOUSE_KEYS = ['treasury', 'facilitator', 'faucet', 'mint-authority', 'lending-protocol'] as const;

/** Names for the actors of a recording, in order of appearance. */
export class Actors {
  readonly #seed: string;
  readonly #names = new Map<string, string>();
  readonly #keys = new Map<string, { readonly name: string; readonly key: string }>();
  readonly #announce: (line: LineOf<'wallet'>) => void;
  #made: readonly DevWallet[] | null = null;
  #outside = 0;

  /** `announce` is called for each actor before the first use of its name. */
  constructor(seed: string, devWallets: readonly DevWallet[], announce: (line: LineOf<'wallet'>) => void) {
    const ring = new KeyRing(seed);
    this.#seed = seed;
    this.#announce = announce;
    for (const [at, { address }] of devWallets.entries())
      this.#keys.set(address, { name: `dev-${at}`, key: `wallet/${at}` });
    for (const key of HOUSE_KEYS) this.#keys.set(ring.derive(key).address, { name: key, key });
  }

  of(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    if (!this.#keys.has(address)) this.made();
    const own = this.#keys.get(address);
    const name = own?.name ?? `wallet-${(this.#outside += 1)}`;
    this.#names.set(address, name);
    this.#announce({ kind: 'wallet', name, address, key: own?.key ?? null });
    return name;
  }

  /** The wallets that the world may have created by a command; derived on first use, since that takes a while. */
  made(): readonly DevWallet[] {
    if (this.#made !== null) return this.#made;
    this.#made = madeWallets(this.#seed, MADE);
    for (const [at, { address }] of this.#made.entries())
      this.#keys.set(address, { name: `made-${at + 1}`, key: `wallet/made/${at + 1}` });
    return this.#made;
  }

  /** The name of an address as far as it is known, without announcing it; otherwise the address. */
  readonly known = (address: string): string =>
    this.#names.get(address) ?? this.#keys.get(address)?.name ?? address;
}
