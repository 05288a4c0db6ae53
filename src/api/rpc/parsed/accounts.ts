import { type ByteReader, readLayout } from '../../../chain/solana/layout.js';
import {
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '../../../chain/solana/addresses.js';
import { parseLookupTable } from './lookup-tables.js';
import { parseNonceAccount } from './system.js';
import { parseTokenState } from './token-accounts.js';

interface AccountToParse {
  readonly data: Uint8Array;
  readonly owner: string;
}

interface ParseContext {
  /** The decimals of a mint, which a token account does not contain; null when the mint does not exist. */
  readonly decimalsOf: (mint: string) => number | null;
}

interface Parser {
  readonly program: string;
  /** Throws InvalidBytes. */
  readonly parse: (reader: ByteReader, context: ParseContext) => object | null;
}

const parser = (program: string, parse: Parser['parse']): Parser => ({ program, parse });
const parseToken: Parser['parse'] = ({ bytes }, { decimalsOf }) => parseTokenState(bytes, decimalsOf);

// By the program that owns the account.
const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [SYSTEM_PROGRAM, parser('nonce', ({ bytes }) => parseNonceAccount(bytes))],
  [TOKEN_PROGRAM, parser('spl-token', parseToken)],
  [TOKEN_2022_PROGRAM, parser('spl-token-2022', parseToken)],
  [LOOKUP_TABLE_PROGRAM, parser('address-lookup-table', parseLookupTable)],
]);

/**
 * The `jsonParsed` form of an account's data; null when there is none, in which case a node responds in base64. `space` is in bytes. Never
 * throws, whatever the data. Source: `parse_account_data_v3` of Agave's account-decoder.
 */
export function parseAccount(
  account: AccountToParse,
  context: ParseContext,
): { program: string; parsed: unknown; space: number } | null {
  const known = PARSERS.get(account.owner);
  if (known === undefined) return null;
  const parsed = readLayout((reader) => known.parse(reader, context), account.data);
  return parsed === null ? null : { program: known.program, parsed, space: account.data.length };
}
