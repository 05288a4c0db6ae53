import { type DevWallet, madeWallets } from '../../runtime/dev-wallets.js';
import { KeyRing } from '../../world/keys.js';
import type { LineOf } from '../schema.js';

/** The most wallets created by a command that can be recognized. */
const MADE = 64;

/** The bank's own keys, by their names in the key ring. */
const HOUSE_KEYS = ['treasury', 'facilitator', 'faucet', 'mint-authority', 'lending-protocol'] as const;

/** Names for the actors of a recording, in order of appearance. */
export class Actors {
  readonly #names = new Map<string, string>();
  readonly #keys = new Map<string, { readonly name: string; readonly key: string }>();
  readonly #announce: (line: LineOf<'wallet'>) => void;
  /** The wallets that the world creates by a command, before or during the recording. */
  readonly made: readonly DevWallet[];
  #outside = 0;

  /** `announce` is called for each actor before the first use of its name. */
  constructor(seed: string, devWallets: readonly DevWallet[], announce: (line: LineOf<'wallet'>) => void) {
    const ring = new KeyRing(seed);
    this.#announce = announce;
    this.made = madeWallets(seed, MADE);
    const add = (address: string, name: string, key: string) => this.#keys.set(address, { name, key });
    for (const [at, { address }] of devWallets.entries()) add(address, `dev-${at}`, `wallet/${at}`);
    for (const key of HOUSE_KEYS) add(ring.derive(key).address, key, key);
    for (const [at, { address }] of this.made.entries())
      add(address, `made-${at + 1}`, `wallet/made/${at + 1}`);
  }

  of(address: string): string {
    const known = this.#names.get(address);
    if (known !== undefined) return known;
    const own = this.#keys.get(address);
    const name = own?.name ?? `wallet-${(this.#outside += 1)}`;
    this.#names.set(address, name);
    this.#announce({ kind: 'wallet', name, address, key: own?.key ?? null });
    return name;
  }

  /** The name of an address as far as it is known, without announcing it; otherwise the address. */
  readonly known = (address: string): string =>
    this.#names.get(address) ?? this.#keys.get(address)?.name ?? address;
}
