import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseExactJson } from '../../core/exact-json.js';
import { UnreadableFile, readUserFile, readUserText } from '../../core/user-file.js';
import { InvalidOptions } from '../config.js';
import { type AddressedAccount, MAX_ACCOUNT_BYTES, addressedAccount } from './account-json.js';
import { issueText } from '../../core/json.js';

/** The largest account in base64, with its JSON. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024;

function problem(path: string, reason: string): InvalidOptions {
  return new InvalidOptions(`${path}: ${reason}`);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/** What `read` returns; a file that cannot be read is an invalid option. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableFile ? new InvalidOptions(error.message) : error;
  }
}

/** Reads an account from a file that `solana account --output json` wrote. Throws InvalidOptions. */
export function readAccountFile(path: string): AddressedAccount {
  let value: unknown;
  try {
    value = parseExactJson(
      readable(() => readUserText(path, MAX_FILE_BYTES)),
      String,
    ).exact;
  } catch (error) {
    throw error instanceof InvalidOptions ? error : problem(path, 'is not valid JSON');
  }
  const parsed = addressedAccount.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problem(
    path,
    `is not an account as solana account --output json writes it: ${issueText(parsed.error)}`,
  );
}

/** Reads the accounts in a folder's .json files; calls `warn` for other .json files. Throws InvalidOptions. */
export function readAccountFolder(
  path: string,
  warn: (message: string) => void,
): { readonly file: string; readonly account: AddressedAccount }[] {
  let names: string[];
  try {
    names = readdirSync(path).filter((name) => name.endsWith('.json'));
  } catch (error) {
    throw problem(path, `cannot be read (${codeOf(error)})`);
  }
  const files = names.toSorted().map((name) => join(path, name));
  return files
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .flatMap((file) => {
      try {
        return { file, account: readAccountFile(file) };
      } catch (error) {
        if (!(error instanceof InvalidOptions)) throw error;
        warn(`${error.message}; it is left out`);
        return [];
      }
    });
}

/** Reads the executable of a program. Throws InvalidOptions. */
export function readProgramFile(path: string): Uint8Array {
  return readable(() => readUserFile(path, MAX_ACCOUNT_BYTES));
}
