import type { Account, Engine } from './engine.js';
import { TOKEN_ACCOUNT_BYTES, withTokens } from './solana/token-accounts.js';

/** The predictable effect of a transfer on its writable accounts. Signed amounts. */
export interface ExpectedChanges {
  /** Lamports by address; the payer's include the fee. */
  readonly lamports: ReadonlyMap<string, bigint>;
  /** Base units by token account. */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/**
 * The accounts after a successful transfer; null when they cannot be predicted, because one of them does not exist yet
 * or is not a token account. An account without lamports ceases to exist. Predictions are verified against the engine
 * before they become visible outside: see `Chain`.
 */
export function predict(
  addresses: readonly string[],
  pre: readonly (Account | null)[],
  changes: ExpectedChanges,
): (Account | null)[] | null {
  const predicted: (Account | null)[] = [];
  for (const [at, address] of addresses.entries()) {
    const account = pre[at] ?? null;
    const tokens = changes.tokens.get(address);
    if (account === null || (tokens !== undefined && account.data.length !== TOKEN_ACCOUNT_BYTES))
      return null;
    const { data, owner, executable } = tokens === undefined ? account : withTokens(account, tokens);
    const lamports = account.lamports + (changes.lamports.get(address) ?? 0n);
    predicted.push(lamports === 0n ? null : { lamports, data, owner, executable });
  }
  return predicted;
}

/** The engine's accounts differ from a prediction: a bug in the bank, not a failure of the chain. */
export class WrongPrediction extends Error {
  override readonly name = 'WrongPrediction';
}

/** Whether two accounts are equal byte by byte. */
export function sameAccount(a: Account | null, b: Account | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.lamports === b.lamports &&
    a.owner === b.owner &&
    a.executable === b.executable &&
    Buffer.compare(a.data, b.data) === 0
  );
}

/** Maximum number of predicted transfers before their accounts are read back. */
const MOST_UNVERIFIED = 48;

/** Accounts whose value was predicted for a transfer of the bank and not yet read back. */
export class UnverifiedWrites {
  readonly #engine: Engine;
  readonly #addresses = new Set<string>();
  #transfers = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Whether the limit is reached and they must be read back. */
  get isFull(): boolean {
    return this.#transfers >= MOST_UNVERIFIED;
  }

  has(address: string): boolean {
    return this.#addresses.has(address);
  }

  /** Records the accounts that one transfer was predicted to write. */
  add(addresses: readonly string[]): void {
    for (const address of addresses) this.#addresses.add(address);
    this.#transfers += 1;
  }

  clear(): void {
    this.#addresses.clear();
    this.#transfers = 0;
  }

  /** Verifies predicted accounts against the engine. Throws WrongPrediction when they differ: a bug. */
  async verify(predicted: (address: string) => Account | null): Promise<void> {
    if (this.#addresses.size === 0) return;
    const addresses = [...this.#addresses];
    this.clear();
    const actual = await this.#engine.getAccounts(addresses);
    for (const [at, address] of addresses.entries()) {
      if (!sameAccount(actual[at] ?? null, predicted(address))) {
        throw new WrongPrediction(
          `the engine's account at ${address} differs from the prediction for a transfer of the bank`,
        );
      }
    }
  }
}
