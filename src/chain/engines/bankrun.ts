import bs58 from 'bs58';
import { addressOf, bytesOf } from '../solana/addresses.js';
import type {
  Account,
  Engine,
  EngineClock,
  EngineTransaction,
  Execution,
  TransactionError,
} from '../engine.js';
import { nativeAccount, nativeClock } from './native.js';
import { bankrunError } from './bankrun-errors.js';
import {
  type NativeAccount,
  type NativeMeta,
  type NativeResult,
  type ProgramContext,
  contexts,
} from './bankrun-contexts.js';

// bankrun's own blockhashes change every few milliseconds and expire after one to two seconds of wall-clock time.
const HASH_FRESH_MS = 250;
const TRIES = 10;
const AGAIN = new Set(['Blockhash not found', 'This transaction has already been processed']);

function toAccount(native: NativeAccount | null): Account | null {
  if (native === null) return null;
  const { lamports } = native;
  if (lamports === 0n) return null;
  return { lamports, data: native.data, owner: addressOf(native.owner), executable: native.executable };
}

/** An execution that reads logs and the rest from the native side lazily. */
class BankrunExecution implements Execution {
  readonly executed: boolean;
  readonly error: TransactionError | null;
  readonly innerInstructions = null;
  readonly #meta: NativeMeta | null;

  constructor(native: NativeResult) {
    const { result } = native;
    this.#meta = native.meta;
    this.executed = this.#meta !== null;
    this.error = result === null ? null : bankrunError(result);
  }

  get logs(): readonly string[] {
    return this.#meta?.logMessages ?? [];
  }

  get unitsConsumed(): bigint {
    return this.#meta?.computeUnitsConsumed ?? 0n;
  }

  get returnData(): Execution['returnData'] {
    const returned = this.#meta?.returnData ?? null;
    return returned === null ? null : { programId: addressOf(returned.programId), data: returned.data };
  }
}

/** solana-bankrun (Agave 1.18 program-test) in this process. */
export class BankrunEngine implements Engine {
  readonly name = 'bankrun';
  readonly nativeUnits = 200_000;
  #machine: ProgramContext;
  #hash = new Uint8Array(0);
  #hashAtMs = Number.NEGATIVE_INFINITY;

  private constructor(machine: ProgramContext) {
    this.#machine = machine;
  }

  get #context() {
    return this.#machine.context;
  }

  static async start(): Promise<BankrunEngine> {
    return new BankrunEngine(await contexts.take());
  }

  async execute({ bytes, blockhashOffset }: EngineTransaction): Promise<Execution> {
    const { banksClient } = this.#context;
    // Buffer's `slice` would share the caller's bytes.
    const patched = new Uint8Array(bytes);
    // No await while the hash is fresh, so that bankrun's thread starts before this call returns.
    if (performance.now() - this.#hashAtMs >= HASH_FRESH_MS) await this.#readHash();
    patched.set(this.#hash, blockhashOffset);
    let result = await banksClient.tryProcessVersionedTransaction(patched);
    // The chain above has already checked blockhash and signature: these errors of bankrun concern its own blockhashes, which expire
    // within a second or two. Only a process that is suspended repeatedly needs more than one retry.
    for (let tries = 1; tries < TRIES && AGAIN.has(result.result ?? ''); tries += 1) {
      patched.set(await this.#otherHash(), blockhashOffset);
      result = await banksClient.tryProcessVersionedTransaction(patched);
    }
    return new BankrunExecution(result);
  }

  async getAccount(address: string): Promise<Account | null> {
    return toAccount(await this.#context.banksClient.getAccount(bytesOf(address)));
  }

  async getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return Promise.all(addresses.map((address) => this.getAccount(address)));
  }

  setAccount(address: string, account: Account | null): void {
    this.#context.setAccount(bytesOf(address), nativeAccount(contexts.native(), account));
    this.#machine.programs.written(address, account);
  }

  hasOtherProgram(address: string, account: Account | null): boolean {
    return this.#machine.programs.runsOther(address, account);
  }

  noteProgram(address: string): void {
    this.#machine.programs.changed(address);
  }

  async renew(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    const machine = await contexts.takeFor(accounts);
    this.release();
    this.#machine = machine;
    this.#hashAtMs = Number.NEGATIVE_INFINITY;
  }

  setClock(clock: EngineClock): void {
    this.#context.setClock(nativeClock(contexts.native(), clock));
  }

  forgetTransactions(): void {
    // bankrun deduplicates signatures by blockhash; `execute` retries with another one.
  }

  release(): void {
    contexts.giveBack(this.#machine);
  }

  /** Waits for a new blockhash of bankrun; one comes every few milliseconds. */
  async #otherHash(): Promise<Uint8Array> {
    const before = Buffer.from(this.#hash);
    do await this.#readHash();
    while (before.equals(this.#hash));
    return this.#hash;
  }

  async #readHash(): Promise<void> {
    const latest = await this.#context.banksClient.getLatestBlockhash();
    if (latest === null) throw new Error('bankrun has no blockhash');
    this.#hash = Uint8Array.from(bs58.decode(latest.blockhash));
    this.#hashAtMs = performance.now();
  }
}
