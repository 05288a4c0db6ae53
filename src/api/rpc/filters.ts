import bs58 from 'bs58';
import type { Account } from '../../chain/engine.js';
import { tokenBalance } from '../../chain/solana/token-accounts.js';
import { invalidParam } from './errors.js';
import { decodedBase64 } from './bytes.js';
import { Config } from './params.js';

/** Agave's MAX_GET_PROGRAM_ACCOUNT_FILTERS and the most bytes that one filter compares. */
const MAX_FILTERS = 4;
const MAX_COMPARED_BYTES = 128;

function givenBytes(config: Config): Uint8Array {
  const given = config.get('bytes');
  if (given === undefined) throw invalidParam('filters: memcmp needs bytes');
  if (Array.isArray(given) && given.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255))
    return Uint8Array.from(given as number[]);
  const isBase64 = config.oneOf('encoding', ['base58', 'base64']) === 'base64';
  const text = config.text('bytes') ?? '';
  const bytes = isBase64 ? decodedBase64(text) : bs58.decodeUnsafe(text);
  if (bytes instanceof Uint8Array) return bytes;
  throw invalidParam('filters: memcmp bytes must be base58, or base64 when encoding says so');
}

function comparedBytes(config: Config): Uint8Array {
  const bytes = givenBytes(config);
  if (bytes.length > MAX_COMPARED_BYTES) {
    throw invalidParam(`filters: memcmp compares at most ${MAX_COMPARED_BYTES} bytes`);
  }
  return bytes;
}

function oneFilter(value: unknown, at: number): (account: Account) => boolean {
  const filter = new Config(value === 'tokenAccountState' ? { [value]: null } : value, `filters[${at}]`);
  const [name, ...others] = filter.names();
  if (others.length > 0)
    throw invalidParam(`filters[${at}] must have one of dataSize, memcmp and tokenAccountState`);
  const size = filter.integer('dataSize');
  if (size !== undefined) return ({ data }) => data.length === size;
  const memcmp = filter.config('memcmp');
  if (memcmp !== undefined) {
    const offset = memcmp.requiredInteger('offset');
    const bytes = comparedBytes(memcmp);
    const end = offset + bytes.length;
    return ({ data }) => data.length >= end && Buffer.compare(data.subarray(offset, end), bytes) === 0;
  }
  if (name === 'tokenAccountState') return (account) => tokenBalance(account) !== null;
  throw invalidParam(`filters[${at}] must have dataSize, memcmp or tokenAccountState`);
}

/** The predicate for `filters`: all of them must hold. Throws invalid params. */
export function accountFilter(config: Config): (account: Account) => boolean {
  const filters = (config.list('filters', MAX_FILTERS, 'Too many filters provided') ?? []).map(oneFilter);
  return (account) => filters.every((filter) => filter(account));
}
