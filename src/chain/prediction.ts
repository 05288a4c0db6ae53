import type { Account } from './engine.js';
import { TOKEN_ACCOUNT_BYTES, tokenAmount } from './tokens.js';

/** What a transfer does to the accounts that it may write, as far as it can be told beforehand. Signed amounts. */
export interface ExpectedChanges {
  /** Lamports by address; the fee is the payer's. */
  readonly lamports: ReadonlyMap<string, bigint>;
  /** Base units by token account. */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/**
 * The accounts as a successful transfer will leave them; null when that cannot be told, because one of them does not exist
 * yet or is no token account. A prediction is proved against the engine before anybody else sees it: see `Chain`.
 */
export function predict(
  addresses: readonly string[],
  pre: readonly (Account | null)[],
  changes: ExpectedChanges,
): Account[] | null {
  const predicted: Account[] = [];
  for (const [at, address] of addresses.entries()) {
    const account = pre[at] ?? null;
    const tokens = changes.tokens.get(address);
    if (account === null || (tokens !== undefined && account.data.length !== TOKEN_ACCOUNT_BYTES))
      return null;
    let { data } = account;
    if (tokens !== undefined) {
      data = Uint8Array.from(data);
      new DataView(data.buffer).setBigUint64(64, tokenAmount(account) + tokens, true);
    }
    const { owner, executable } = account;
    predicted.push({
      lamports: account.lamports + (changes.lamports.get(address) ?? 0n),
      data,
      owner,
      executable,
    });
  }
  return predicted;
}

/** The engine holds something else than a prediction said: a bug of the bank, not a failure of the chain. */
export class WrongPrediction extends Error {}

/** Whether two accounts are the same to the byte. */
export function sameAccount(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.lamports === b.lamports &&
    a.owner === b.owner &&
    a.executable === b.executable &&
    Buffer.compare(a.data, b.data) === 0
  );
}
