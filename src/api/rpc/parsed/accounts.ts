import { type ByteReader, readLayout } from '../../../chain/solana/layout.js';
import {
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
  LOOKUP_TABLE_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '../../../chain/solana/addresses.js';
import { parseLookupTable } from './lookup-tables.js';
import { parseNonceAccount } from './system.js';
import { parseSysvar } from './sysvars.js';
import { parseTokenState } from './token-accounts.js';
import { parseUpgradeableLoader } from './upgradeable-loader.js';

interface AccountToParse {
  readonly address: string;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
  readonly lamports: bigint;
}

interface ParseContext {
  /** The decimals of a mint, which a token account does not contain; null when the mint does not exist. */
  readonly decimalsOf: (mint: string) => number | null;
}

interface Parser {
  readonly program: string;
  /** Throws InvalidBytes. */
  readonly parse: (reader: ByteReader, address: string, context: ParseContext) => object | null;
}

const parser = (program: string, parse: Parser['parse']): Parser => ({ program, parse });
const parseToken: Parser['parse'] = ({ bytes }, _address, { decimalsOf }) =>
  parseTokenState(bytes, decimalsOf);

// By the program that owns the account.
const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [SYSTEM_PROGRAM, parser('nonce', ({ bytes }) => parseNonceAccount(bytes))],
  [TOKEN_PROGRAM, parser('spl-token', parseToken)],
  [TOKEN_2022_PROGRAM, parser('spl-token-2022', parseToken)],
  [LOOKUP_TABLE_PROGRAM, parser('address-lookup-table', parseLookupTable)],
  [UPGRADEABLE_LOADER, parser('bpf-upgradeable-loader', parseUpgradeableLoader)],
  [SYSVAR_OWNER, parser('sysvar', parseSysvar)],
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
  const parsed = readLayout((reader) => known.parse(reader, account.address, context), account.data);
  return parsed === null ? null : { program: known.program, parsed, space: account.data.length };
}
