import bs58 from 'bs58';
import { z } from 'zod';
import type { Account } from '../../chain/engine.js';
import { MAX_U64 } from '../../chain/solana/layout.js';
import { RENT_EXEMPT_EPOCH } from '../../chain/solana/token-accounts.js';
import { isAddress } from '../../core/domain/inputs.js';

/** Agave's MAX_PERMITTED_DATA_LENGTH. */
const MAX_ACCOUNT_BYTES = 10 * 1_024 * 1_024;
/** The limit of the RPC's own base58: the time to decode grows with the square of the length. */
const MAX_BASE58_TEXT = 256;

const addressJson = z.string().refine(isAddress, 'must be a Solana address');

const u64 = z
  .union(
    [z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)],
    'must be a whole number, as text above 2^53',
  )
  .transform(BigInt)
  .refine((value) => value <= MAX_U64, 'must be below 2^64');

/** The bytes of an account's data in an encoding of the RPC; the reason when they cannot be decoded. */
function decoded(text: string, encoding: string): Uint8Array | string {
  switch (encoding) {
    case 'base64': {
      const bytes = Buffer.from(text, 'base64');
      return bytes.toString('base64') === text ? Uint8Array.from(bytes) : 'must be base64';
    }
    case 'base58':
      if (text.length > MAX_BASE58_TEXT) return 'is too long for base58; write it as base64';
      return bs58.decodeUnsafe(text) ?? 'must be base58';
    default:
      return `cannot be read as ${encoding.slice(0, 20)}; write it as base64`;
  }
}

const data = z
  .union([z.string(), z.tuple([z.string(), z.string()])], 'must be ["…","base64"]')
  .transform((given, context) => {
    const bytes = typeof given === 'string' ? decoded(given, 'base58') : decoded(...given);
    if (typeof bytes === 'string') {
      context.addIssue({ code: 'custom', message: bytes });
      return z.NEVER;
    }
    if (bytes.length > MAX_ACCOUNT_BYTES) {
      context.addIssue({ code: 'custom', message: `has more than ${MAX_ACCOUNT_BYTES} bytes` });
      return z.NEVER;
    }
    return bytes;
  });

const account = z
  .object({ lamports: u64, data, owner: addressJson, executable: z.boolean(), rentEpoch: u64.optional() })
  .transform(({ rentEpoch = RENT_EXEMPT_EPOCH, ...rest }): Account =>
    rentEpoch === RENT_EXEMPT_EPOCH ? rest : { ...rest, rentEpoch },
  );

/** An account with its address, as `solana account --output json` writes it. `null` for an absent account. */
export const addressedAccount = z
  .object({ pubkey: addressJson, account: account.nullable() })
  .describe('an account as `solana account --output json` writes it; null removes it');

/** An account in JSON. */
export type AccountInput = z.input<typeof addressedAccount>;
/** A parsed account with its address. */
export type AddressedAccount = z.output<typeof addressedAccount>;

/** An exact integer in JSON: text above 2^53. */
function exact(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

/** An account in JSON; `rentEpoch` is left out for a rent-exempt account. */
export function accountJson(pubkey: string, found: Account | null) {
  if (found === null) return { pubkey, account: null };
  const { lamports, owner, executable, data: bytes, rentEpoch } = found;
  return {
    pubkey,
    account: {
      lamports: exact(lamports),
      ...(rentEpoch === undefined ? {} : { rentEpoch: exact(rentEpoch) }),
      data: [Buffer.from(bytes).toString('base64'), 'base64'] as [string, string],
      owner,
      executable,
      space: bytes.length,
    },
  };
}
