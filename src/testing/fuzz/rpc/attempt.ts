import type { Message } from './message.js';

/** An account as JSON-RPC shows it. */
export interface Shown {
  readonly lamports: number;
  readonly data: readonly [string, string];
  readonly owner: string;
}

/** The forms in which clients send transactions. */
export const ENCODINGS = ['base64', 'base58'] as const;

/** A transaction that is to be sent, and what should come of it. */
export interface Attempt {
  readonly message: Message;
  /** The accounts of the message as they are now. */
  readonly before: readonly (Shown | null)[];
  readonly signature: string;
  readonly text: string;
  readonly encoding: (typeof ENCODINGS)[number];
  readonly skipPreflight: boolean;
  readonly feeLamports: bigint;
  readonly memo: string | null;
  /** The error that the rules of the chain give it; null for none, undefined where this depends on more than amounts. */
  readonly expected: unknown;
  /** How its lamports change when it succeeds, beside the fee. */
  readonly moves: ReadonlyMap<string, bigint>;
  /** Whether an operator has changed balances without a transaction. */
  readonly isWritten: boolean;
}

/** What the accounts hold; one that does not exist holds nothing. */
export function lamportsOf(accounts: readonly (Shown | null)[]): number[] {
  return accounts.map((account) => account?.lamports ?? 0);
}
