import bs58 from 'bs58';
import type { Account } from '../../../chain/engine.js';
import { RPC_CODES, RpcError } from '../errors.js';
import type { Config } from '../params.js';
import { RENT_EXEMPT_EPOCH, mintOf, tokenBalance } from '../../../chain/solana/token-accounts.js';
import { parseAccount } from '../parsed/accounts.js';
import { storedZstd } from './zstd.js';

const ENCODINGS = ['base58', 'base64', 'base64+zstd', 'jsonParsed', 'binary'] as const;
export type AccountEncoding = (typeof ENCODINGS)[number];

/** The most data in base58, in bytes: more would be too slow. Source: Agave's MAX_BASE58_BYTES. */
const MAX_BASE58_BYTES = 128;

export interface AccountShape {
  readonly encoding: AccountEncoding;
  readonly slice: { readonly offset: number; readonly length: number } | null;
}

/** Reads `encoding` and `dataSlice`. Throws invalid params. */
export function accountShape(config: Config, fallback: AccountEncoding = 'binary'): AccountShape {
  const slice = config.config('dataSlice');
  return {
    encoding: config.oneOf('encoding', ENCODINGS) ?? fallback,
    slice:
      slice === undefined
        ? null
        : { offset: slice.requiredInteger('offset'), length: slice.requiredInteger('length') },
  };
}

/** Decimals of known mints; null for others. */
export type Decimals = (mint: string) => number | null;

export type ReadAccount = (address: string) => Promise<Account | null>;

/** The decimals of the mints of all token accounts among `accounts`. */
export async function decimalsIn(accounts: Iterable<Account | null>, read: ReadAccount): Promise<Decimals> {
  const known = new Map<string, number | null>();
  for (const account of accounts) {
    const mint = tokenBalance(account)?.mint;
    if (mint === undefined || known.has(mint)) continue;
    known.set(mint, mintOf(await read(mint))?.decimals ?? null);
  }
  return (mint) => known.get(mint) ?? null;
}

function encodeData(data: Uint8Array, encoding: Exclude<AccountEncoding, 'jsonParsed'>): unknown {
  switch (encoding) {
    case 'binary':
    case 'base58':
      if (data.length > MAX_BASE58_BYTES) {
        throw new RpcError(
          RPC_CODES.invalidRequest,
          `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
        );
      }
      return encoding === 'binary' ? bs58.encode(data) : [bs58.encode(data), 'base58'];
    case 'base64':
      return [Buffer.from(data).toString('base64'), 'base64'];
    case 'base64+zstd':
      return [storedZstd(data).toString('base64'), 'base64+zstd'];
  }
}

/** The number of bytes of an account's data in the response. */
export function shownBytes({ data }: Account, { slice }: AccountShape): number {
  return slice === null ? data.length : Math.max(0, Math.min(slice.length, data.length - slice.offset));
}

/** An account in the form of the RPC. Throws RpcError for data too long for base58. */
export function encodeAccount(account: Account, shape: AccountShape, decimalsOf: Decimals): object {
  const { lamports, owner, executable, data, rentEpoch = RENT_EXEMPT_EPOCH } = account;
  const rest = { executable, lamports, owner, rentEpoch, space: data.length };
  if (shape.encoding === 'jsonParsed') {
    const parsed = parseAccount({ data, owner }, { decimalsOf });
    if (parsed !== null) return { data: parsed, ...rest };
  }
  const encoding = shape.encoding === 'jsonParsed' ? 'base64' : shape.encoding;
  const { offset, length } = shape.slice ?? { offset: 0, length: data.length };
  return { data: encodeData(data.subarray(offset, offset + length), encoding), ...rest };
}
