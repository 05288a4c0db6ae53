import { type ByteReader, readLayout, text } from '../../../chain/solana/layout.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  MEMO_V4_PROGRAM,
  TOKEN_2022_PROGRAM,
} from '../../../chain/solana/addresses.js';
import { parseAssociatedTokenInstruction } from './associated-token.js';
import { parseLookupTableInstruction } from './lookup-tables.js';
import { parseSystemInstruction } from './system.js';
import { parseTokenInstruction } from './token-instructions.js';

interface Parser {
  readonly program: string;
  /** Throws InvalidBytes. */
  readonly parse: (accounts: readonly string[], reader: ByteReader) => object | string | null;
}

// Agave calls both token programs spl-token here, though not in accounts.
const TOKEN: Parser = { program: 'spl-token', parse: parseTokenInstruction };
const MEMO: Parser = {
  program: 'spl-memo',
  parse: (_accounts, reader) => text(() => reader.remaining)(reader),
};

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [SYSTEM_PROGRAM, { program: 'system', parse: parseSystemInstruction }],
  [TOKEN_PROGRAM, TOKEN],
  [TOKEN_2022_PROGRAM, TOKEN],
  [
    ASSOCIATED_TOKEN_PROGRAM,
    { program: 'spl-associated-token-account', parse: parseAssociatedTokenInstruction },
  ],
  [MEMO_V1_PROGRAM, MEMO],
  [MEMO_PROGRAM, MEMO],
  [MEMO_V4_PROGRAM, MEMO],
  [LOOKUP_TABLE_PROGRAM, { program: 'address-lookup-table', parse: parseLookupTableInstruction }],
]);

/**
 * The `jsonParsed` form of an instruction with the addresses of its accounts; null when there is none, in which case a node responds with
 * accounts and data in base58. Numbers beyond the safe integers are bigints. Never throws, whatever the data. Source: parse_instruction.rs
 * of Agave's transaction-status.
 */
export function parseInstruction(instruction: {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}): { program: string; programId: string; parsed: unknown } | null {
  const { programId, accounts, data } = instruction;
  const parser = PARSERS.get(programId);
  if (parser === undefined) return null;
  const parsed = readLayout((reader) => parser.parse(accounts, reader), data);
  return parsed === null ? null : { program: parser.program, programId, parsed };
}
