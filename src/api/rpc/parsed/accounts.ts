import {
  SYSTEM_PROGRAM,
  SYSVAR_OWNER,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from '../../../chain/solana/addresses.js';
import { LOOKUP_TABLE_PROGRAM } from '../../../chain/solana/addresses.js';
import { parseConfig } from './config.js';
import { parseLookupTable } from './lookup-tables.js';
import {
  CONFIG_PROGRAM,
  STAKE_PROGRAM,
  TOKEN_2022_PROGRAM,
  VOTE_PROGRAM,
} from '../../../chain/solana/addresses.js';
import { parseStake } from './stake.js';
import { parseNonceAccount } from './system.js';
import { parseSysvar } from './sysvars.js';
import { parseTokenState } from './token-accounts.js';
import { parseUpgradeableLoader } from './upgradeable-loader.js';
import { parseVote } from './vote.js';

interface AccountToParse {
  readonly address: string;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
  readonly lamports: bigint;
}

interface ParseContext {
  /** The decimals of a mint, which a token account does not say itself; null when there is no such mint. */
  readonly decimalsOf: (mint: string) => number | null;
}

interface Parser {
  readonly program: string;
  readonly parse: (account: AccountToParse, context: ParseContext) => object | null;
}

// By the program that owns the account.
const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [SYSTEM_PROGRAM, { program: 'nonce', parse: ({ data }) => parseNonceAccount(data) }],
  [
    TOKEN_PROGRAM,
    { program: 'spl-token', parse: ({ data }, { decimalsOf }) => parseTokenState(data, decimalsOf) },
  ],
  [
    TOKEN_2022_PROGRAM,
    { program: 'spl-token-2022', parse: ({ data }, { decimalsOf }) => parseTokenState(data, decimalsOf) },
  ],
  [LOOKUP_TABLE_PROGRAM, { program: 'address-lookup-table', parse: ({ data }) => parseLookupTable(data) }],
  [
    UPGRADEABLE_LOADER,
    { program: 'bpf-upgradeable-loader', parse: ({ data }) => parseUpgradeableLoader(data) },
  ],
  [STAKE_PROGRAM, { program: 'stake', parse: ({ data }) => parseStake(data) }],
  [VOTE_PROGRAM, { program: 'vote', parse: ({ data }) => parseVote(data) }],
  [CONFIG_PROGRAM, { program: 'config', parse: ({ address, data }) => parseConfig(address, data) }],
  [SYSVAR_OWNER, { program: 'sysvar', parse: ({ address, data }) => parseSysvar(address, data) }],
]);

/**
 * The `jsonParsed` form of an account's data; null when there is none, for which a node answers in base64. `space` is in bytes. Never throws, whatever
 * the data. Source: `parse_account_data_v3` of Agave's account-decoder.
 */
export function parseAccount(
  account: AccountToParse,
  context: ParseContext,
): { program: string; parsed: unknown; space: number } | null {
  const parser = PARSERS.get(account.owner);
  const parsed = parser?.parse(account, context) ?? null;
  if (parser === undefined || parsed === null) return null;
  return { program: parser.program, parsed, space: account.data.length };
}
