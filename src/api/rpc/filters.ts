import bs58 from 'bs58';
import type { Account } from '../../chain/engine.js';
import { tokenBalance } from './encoding/balances.js';
import { invalidParam } from './errors.js';
import { Config } from './params.js';

/** Agave's MAX_GET_PROGRAM_ACCOUNT_FILTERS and the most bytes that one filter compares. */
const MAX_FILTERS = 4;
const MAX_COMPARED_BYTES = 128;

function comparedBytes(config: Config): Uint8Array {
  const text = config.text('bytes');
  if (text === undefined) throw invalidParam('filters: memcmp needs bytes');
  const isBase64 = config.oneOf('encoding', ['base58', 'base64']) === 'base64';
  let bytes: Uint8Array;
  try {
    bytes = isBase64 ? Buffer.from(text, 'base64') : bs58.decode(text);
  } catch {
    throw invalidParam('filters: memcmp bytes must be base58, or base64 when encoding says so');
  }
  if (bytes.length > MAX_COMPARED_BYTES) {
    throw invalidParam(`filters: memcmp compares at most ${MAX_COMPARED_BYTES} bytes`);
  }
  return bytes;
}

function oneFilter(value: unknown, at: number): (account: Account) => boolean {
  const filter = new Config(value, `filters[${at}]`);
  const size = filter.integer('dataSize');
  if (size !== undefined) return ({ data }) => data.length === size;
  const memcmp = filter.config('memcmp');
  if (memcmp !== undefined) {
    const offset = memcmp.integer('offset') ?? 0;
    const bytes = comparedBytes(memcmp);
    return ({ data }) => Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;
  }
  if (filter.get('tokenAccountState') !== undefined || value === 'tokenAccountState') {
    return (account) => tokenBalance(account) !== null;
  }
  throw invalidParam(`filters[${at}] must have dataSize, memcmp or tokenAccountState`);
}

/** The predicate for `filters`: all of them must hold. Throws invalid params. */
export function accountFilter(config: Config): (account: Account) => boolean {
  const filters = (config.list('filters', MAX_FILTERS) ?? []).map(oneFilter);
  return (account) => filters.every((filter) => filter(account));
}
