/** An account of the chain. `lamports` 0 never occurs: such an account does not exist. */
export interface Account {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** Address of the owning program. */
  readonly owner: string;
  readonly executable: boolean;
}

/** A Solana transaction error in the shape of Solana's JSON: `"AccountNotFound"`, `{InstructionError: [0, {Custom: 1}]}`. */
export type TransactionError = string | { readonly [name: string]: unknown };

/** A transaction error as one line of text. */
export function errorText(error: TransactionError): string {
  return typeof error === 'string' ? error : JSON.stringify(error);
}

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

/** What came of running a transaction. */
export interface Execution {
  /** False when the engine refused it before running it: nothing is charged and nothing is kept. */
  readonly executed: boolean;
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** By instruction; null when the engine does not tell. */
  readonly innerInstructions: readonly (readonly InnerInstruction[])[] | null;
}

/** A transaction as an engine takes it: already parsed, bounded and judged by `chain.ts`. */
export interface EngineTransaction {
  readonly bytes: Uint8Array;
  /** Where the 32 bytes of the blockhash stand in `bytes`. */
  readonly blockhashOffset: number;
}

export interface EngineClock {
  readonly slot: bigint;
  readonly epoch: bigint;
  readonly unixTimestamp: bigint;
}

/** What an engine can do besides running transactions; conformance tests skip by it and callers get clear errors. */
export interface Capabilities {
  readonly setAccount: boolean;
  readonly setClock: boolean;
  readonly innerInstructions: boolean;
  /** Units that a native program's instruction may use when the transaction sets no limit. */
  readonly nativeUnits: number;
  /** Same inputs give the same bytes in another process. */
  readonly deterministic: boolean;
}

/**
 * The thin port over a runtime that executes Solana transactions. It does not check signatures, blockhashes or duplicates:
 * `chain.ts` does, so that all engines behave alike. Calls must not overlap: `chain.ts` queues them.
 */
export interface Engine {
  readonly name: string;
  readonly capabilities: Capabilities;
  execute(transaction: EngineTransaction): Promise<Execution>;
  getAccount(address: string): Promise<Account | null>;
  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]>;
  /** Writes an account past all rules; null removes it. */
  setAccount(address: string, account: Account | null): void;
  setClock(clock: EngineClock): void;
  /** Tells the engine that history was rewritten: signatures it has seen may come again. */
  forgetTransactions(): void;
  /** Gives the engine back. Every account that was touched must have its first value again. */
  release(): void;
}
