import type { MaxAmount } from '../sdk/x402/paying/offer.js';
import { limitOf } from './amounts.js';

export interface ConnectionOptions {
  readonly hasWorld: boolean;
  /** Amounts up to which it may pay without the user's consent; null: consent is never required. Tokens left out always require it. */
  readonly confirmAbove: MaxAmount | null;
  /** The most that may be spent in total; null for no limit. Tokens left out may not be spent. */
  readonly maxSpend: MaxAmount | null;
  /** Host names that `fetch_paid` may call in addition to loopback. */
  readonly fetchHosts: readonly string[];
}

/** The options of a connection as text, as on a command line or in a URL. */
export interface GivenOptions {
  readonly world?: boolean | undefined;
  readonly confirmAbove?: string | undefined;
  readonly maxSpend?: string | undefined;
  readonly fetchHosts?: readonly string[] | undefined;
}

export function connectionOptions(given: GivenOptions): ConnectionOptions {
  const { world = false, confirmAbove, maxSpend, fetchHosts = [] } = given;
  return {
    hasWorld: world,
    confirmAbove: confirmAbove === undefined ? null : limitOf(confirmAbove),
    maxSpend: maxSpend === undefined ? null : limitOf(maxSpend),
    fetchHosts: fetchHosts.map((host) => host.toLowerCase()),
  };
}

const IN_URL = new Set(['wallet', 'world', 'confirm-above', 'max-spend']);

/** The options in the query of a URL. Throws RangeError for others. */
export function optionsInUrl(url: string): { readonly wallet: string; readonly options: ConnectionOptions } {
  const { searchParams } = new URL(url);
  for (const name of searchParams.keys())
    if (!IN_URL.has(name))
      throw new RangeError(`${name}: not an option of /mcp; the options are ${[...IN_URL].join(', ')}`);
  for (const name of IN_URL)
    if (searchParams.getAll(name).length > 1) throw new RangeError(`${name}: is given twice`);
  const world = searchParams.get('world') ?? 'false';
  if (!['true', 'false', ''].includes(world)) throw new RangeError('world: must be true or false');
  const options = connectionOptions({
    world: world !== 'false',
    confirmAbove: searchParams.get('confirm-above') ?? undefined,
    maxSpend: searchParams.get('max-spend') ?? undefined,
  });
  return { wallet: searchParams.get('wallet') ?? '0', options };
}
