/** An account of the chain. `lamports` is never 0: an account without lamports does not exist. */
export interface Account {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
  /** From the account's file, until a transaction writes the account; absent when rent-exempt. Not in engines. */
  readonly rentEpoch?: bigint;
}

/** A Solana transaction error in the shape of Solana's JSON: `"AccountNotFound"`, `{InstructionError: [0, {Custom: 1}]}`. */
export type TransactionError = string | { readonly [name: string]: unknown };

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

export interface Execution {
  /** False when the engine rejected it before execution: no fee is charged and nothing is recorded. */
  readonly executed: boolean;
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** By instruction; null when the engine does not report them. */
  readonly innerInstructions: readonly (readonly InnerInstruction[])[] | null;
}

/** A transaction as passed to an engine: already parsed, bounds-checked and verified by `chain.ts`. */
export interface EngineTransaction {
  readonly bytes: Uint8Array;
  /** The offset of the 32 bytes of the blockhash in `bytes`. */
  readonly blockhashOffset: number;
}

export interface EngineClock {
  readonly slot: bigint;
  readonly epoch: bigint;
  readonly unixTimestamp: bigint;
}

/**
 * A minimal port over a runtime that executes Solana transactions. It does not check signatures, blockhashes or duplicates:
 * `chain.ts` does, so that all engines behave alike. Calls must not overlap: `chain.ts` queues them.
 */
export interface Engine {
  readonly name: string;
  /** Compute units of a native program's instruction when the transaction sets no limit. */
  readonly nativeUnits: number;
  execute(transaction: EngineTransaction): Promise<Execution>;
  getAccount(address: string): Promise<Account | null>;
  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]>;
  /** Writes an account directly, bypassing transaction rules; null removes it. */
  setAccount(address: string, account: Account | null): void;
  setClock(clock: EngineClock): void;
  /** Whether an account contradicts the engine's cache of compiled programs, which ignores changed accounts. */
  hasOtherProgram(address: string, account: Account | null): boolean;
  /** Notes that a transaction changed a program, so that its cached version is not used after a rollback. */
  noteProgram(address: string): void;
  /**
   * Continues with a machine that can hold these accounts. The caller restores all accounts before, and writes them
   * after.
   */
  renew(accounts: ReadonlyMap<string, Account | null>): Promise<void>;
  /** Clears the engine's record of processed signatures, after a rollback: they may be submitted again. */
  forgetTransactions(): void;
  /** Returns the engine for reuse. The caller must restore every written account before. */
  release(): void;
}
