import type { Account } from '../engine.js';
import { sameAccount } from '../prediction.js';
import { isOfProgram } from '../programs/deployed.js';

/** The programs that a machine may have compiled, by the addresses of their accounts. */
export class CachedPrograms {
  /** Null for programs that a transaction changed. */
  readonly #accounts = new Map<string, Account | null>();
  readonly #runsRemoved: boolean;

  /** `runsRemoved` says that the machine runs a program whose account is gone. */
  constructor({ runsRemoved }: { runsRemoved: boolean }) {
    this.#runsRemoved = runsRemoved;
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  /** Whether a transaction changed a cached program. */
  get hasChanged(): boolean {
    return [...this.#accounts.values()].includes(null);
  }

  /** Notes an account that is written directly. */
  written(address: string, account: Account | null): void {
    if (account !== null && isOfProgram(account) && !this.#accounts.has(address))
      this.#accounts.set(address, account);
  }

  /** Notes that a transaction changed an account of a program. */
  changed(address: string): void {
    this.#accounts.set(address, null);
  }

  /** Whether the machine may run another program than the account contains. */
  runsOther(address: string, account: Account | null): boolean {
    const cached = this.#accounts.get(address);
    if (cached === undefined) return false;
    if (cached === null) return true;
    return account === null ? this.#runsRemoved : !sameAccount(cached, account);
  }
}
