import { parseExactJson } from '../../core/exact-json.js';
import { UnreadableFile, readUserText } from '../../core/user-file.js';
import { InvalidOptions } from '../config.js';
import { type AddressedAccount, addressedAccount } from './account-json.js';
import { issueText } from '../../core/json.js';

/** The largest account in base64, with its JSON. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024;

function problem(path: string, reason: string): InvalidOptions {
  return new InvalidOptions(`${path}: ${reason}`);
}

/** Reads an account from a file that `solana account --output json` wrote. Throws InvalidOptions. */
export function readAccountFile(path: string): AddressedAccount {
  let value: unknown;
  try {
    value = parseExactJson(readUserText(path, MAX_FILE_BYTES), String).exact;
  } catch (error) {
    throw error instanceof UnreadableFile
      ? new InvalidOptions(error.message)
      : problem(path, 'is not valid JSON');
  }
  const parsed = addressedAccount.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problem(
    path,
    `is not an account as solana account --output json writes it: ${issueText(parsed.error)}`,
  );
}
