import type { Account, Engine } from './engine.js';

/** The replacement of an account; null when it has none. */
export interface AccountChange {
  readonly address: string;
  readonly target: Account | null;
  readonly current: Account | null;
}

/** Programs last: engines compile them at once, from the data that they refer to. */
function inOrder(changes: readonly AccountChange[]): readonly AccountChange[] {
  const isProgram = ({ target }: AccountChange) => target?.executable === true;
  return changes.some(isProgram)
    ? [...changes.filter((change) => !isProgram(change)), ...changes.filter(isProgram)]
    : changes;
}

function replaceAll(engine: Engine, changes: readonly AccountChange[]): void {
  const done: AccountChange[] = [];
  try {
    for (const change of inOrder(changes)) {
      engine.setAccount(change.address, change.target);
      done.push(change);
    }
  } catch (error) {
    for (const { address, current } of done) engine.setAccount(address, current);
    throw error;
  }
}

/** Accounts that are written directly to an engine, bypassing transactions. */
export class AccountWriter {
  readonly #engine: Engine;
  readonly #onRenewed: () => void;
  /** The engine's original value of every account, before the first write. */
  readonly #originals = new Map<string, Account | null>();

  /** `onRenewed` is called when the engine continues with another machine. */
  constructor(engine: Engine, onRenewed: () => void) {
    this.#engine = engine;
    this.#onRenewed = onRenewed;
  }

  /** The engine's own value of an account; it must be called before the first write. */
  async original(address: string): Promise<Account | null> {
    const known = this.#originals.get(address);
    if (known !== undefined) return known;
    const account = await this.#engine.getAccount(address);
    this.#originals.set(address, account);
    return account;
  }

  /**
   * Replaces accounts: all of them, or none if the engine refuses one. `current` has the current value of every written
   * account. Throws the engine's error.
   */
  async replace(
    changes: readonly AccountChange[],
    current: Iterable<readonly [string, Account | null]>,
  ): Promise<void> {
    const needsRenewal = changes.some(({ address, target }) => this.#engine.hasOtherProgram(address, target));
    if (!needsRenewal) {
      replaceAll(this.#engine, changes);
      return;
    }
    const before = new Map(current);
    const after = new Map(before);
    for (const { address, target } of changes) after.set(address, target);
    try {
      await this.#renew(after);
    } catch (error) {
      await this.#renew(before);
      throw error;
    }
  }

  reset(): void {
    for (const [address, account] of this.#originals) this.#engine.setAccount(address, account);
  }

  async #renew(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    this.reset();
    await this.#engine.renew(accounts);
    this.#onRenewed();
    replaceAll(
      this.#engine,
      [...accounts].map(([address, target]) => ({
        address,
        target,
        current: this.#originals.get(address) ?? null,
      })),
    );
  }
}
