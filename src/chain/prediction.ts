import type { Account, Engine } from './engine.js';
import { LAMPORTS_PER_SIGNATURE } from './fees.js';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './solana/addresses.js';
import { COMPUTE_UNIT_LIMIT, TRANSFER_CHECKED, TRANSFER_LAMPORTS } from './solana/instructions.js';
import { TOKEN_ACCOUNT_BYTES, withTokens } from './solana/token-accounts.js';
import type { WireTransaction } from './solana/wire.js';

/** What transfers change: lamports by address, and base units by token account. */
interface TransferChanges {
  readonly lamports: ReadonlyMap<string, bigint>;
  readonly tokens: ReadonlyMap<string, bigint>;
}

/** The changes by a transaction that only transfers lamports and tokens, with its fee; null for any other. */
function changesOf({ keys, requiredSignatures, instructions }: WireTransaction): TransferChanges | null {
  const fee = LAMPORTS_PER_SIGNATURE * BigInt(requiredSignatures);
  const lamports = new Map([[keys[0] as string, -fee]]);
  const tokens = new Map<string, bigint>();
  for (const { programIdIndex, accounts, data } of instructions) {
    const program = keys[programIdIndex];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const move = (of: Map<string, bigint>, target: number | undefined, amountBase: bigint) => {
      const [from, to] = [keys[accounts[0] as number] as string, keys[target as number] as string];
      of.set(from, (of.get(from) ?? 0n) - amountBase);
      of.set(to, (of.get(to) ?? 0n) + amountBase);
    };
    if (program === SYSTEM_PROGRAM && data[0] === TRANSFER_LAMPORTS)
      move(lamports, accounts[1], view.getBigUint64(4, true));
    else if (program === TOKEN_PROGRAM && data[0] === TRANSFER_CHECKED)
      move(tokens, accounts[2], view.getBigUint64(1, true));
    else if (program !== COMPUTE_BUDGET_PROGRAM || data[0] !== COMPUTE_UNIT_LIMIT) return null;
  }
  return { lamports, tokens };
}

/**
 * The accounts after a transfer of the bank that has succeeded. Null when one of them does not exist yet or is not a token account. An
 * account without lamports ceases to exist. Predictions are verified against the engine before they become visible outside: see `Chain`.
 */
export function predict(
  wire: WireTransaction,
  addresses: readonly string[],
  pre: readonly (Account | null)[],
): (Account | null)[] | null {
  const changes = changesOf(wire);
  if (changes === null) return null;
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
