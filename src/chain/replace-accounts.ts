import type { Account, Engine } from './engine.js';

/** The replacement of an account; null where there is none. */
export interface AccountChange {
  readonly address: string;
  readonly target: Account | null;
  readonly current: Account | null;
}

/** Replaces accounts in an engine: all of them, or none if it refuses one. Throws the engine's error. */
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
