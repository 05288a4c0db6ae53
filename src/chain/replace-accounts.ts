import type { Account, Engine } from './engine.js';

/** An account that is to become another; null where there is none. */
export interface AccountChange {
  readonly address: string;
  readonly target: Account | null;
  readonly current: Account | null;
}

/** Gives an engine other accounts: all of them, or none when it refuses one. Throws the engine's error. */
export function replaceAccounts(engine: Engine, changes: readonly AccountChange[]): void {
  const done: AccountChange[] = [];
  try {
    for (const change of changes) {
      engine.setAccount(change.address, change.target);
      done.push(change);
    }
  } catch (error) {
    for (const { address, current } of done) engine.setAccount(address, current);
    throw error;
  }
}
