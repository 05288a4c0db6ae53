import type { Account, Engine } from './engine.js';
import { WrongPrediction, sameAccount } from './prediction.js';

/** Maximum number of predicted transfers before their accounts are read back. */
const LIMIT = 48;

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
    return this.#transfers >= LIMIT;
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
