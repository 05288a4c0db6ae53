import type { Account, Engine } from './engine.js';
import type { TouchedAccount } from './history.js';

/** Programs last: engines compile them at once, from the data that they refer to. */
function inOrder(changes: readonly TouchedAccount[]): readonly TouchedAccount[] {
  const isProgram = ({ post }: TouchedAccount) => post?.executable === true;
  return changes.some(isProgram)
    ? [...changes.filter((change) => !isProgram(change)), ...changes.filter(isProgram)]
    : changes;
}

function replaceAll(engine: Engine, changes: readonly TouchedAccount[]): void {
  const done: TouchedAccount[] = [];
  try {
    for (const change of inOrder(changes)) {
      engine.setAccount(change.address, change.post);
      done.push(change);
    }
  } catch (error) {
    for (const { address, pre } of done) engine.setAccount(address, pre);
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
   * Gives accounts the values `post`: all of them, or none if the engine refuses one, which restores the values `pre`. `current` has the
   * current value of every written account. Throws the engine's error.
   */
  async replace(
    changes: readonly TouchedAccount[],
    current: Iterable<readonly [string, Account | null]>,
  ): Promise<void> {
    const needsRenewal = changes.some(({ address, post }) => this.#engine.hasOtherProgram(address, post));
    if (!needsRenewal) {
      replaceAll(this.#engine, changes);
      return;
    }
    const before = new Map(current);
    const after = new Map(before);
    for (const { address, post } of changes) after.set(address, post);
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
      [...accounts].map(([address, post]) => ({ address, pre: this.#originals.get(address) ?? null, post })),
    );
  }
}
