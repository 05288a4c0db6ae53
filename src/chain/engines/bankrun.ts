import bs58 from 'bs58';
import { addressOf, bytesOf } from '../addresses.js';
import type { Account, Engine, EngineClock, EngineTransaction, Execution } from '../engine.js';
import { bankrunError } from './bankrun-errors.js';
import { type NativeAccount, type NativeContext, type NativeResult, contexts } from './bankrun-contexts.js';

// bankrun's own blockhashes change every few milliseconds and die after one to two seconds of real time.
const HASH_FRESH_MS = 250;
const NO_DATA = new Uint8Array(0);

function toAccount(native: NativeAccount | null): Account | null {
  if (native === null) return null;
  const { lamports } = native;
  if (lamports === 0n) return null;
  return { lamports, data: native.data, owner: addressOf(native.owner), executable: native.executable };
}

function toExecution({ result, meta }: NativeResult): Execution {
  return {
    executed: meta !== null,
    error: result === null ? null : bankrunError(result),
    logs: meta?.logMessages ?? [],
    unitsConsumed: meta?.computeUnitsConsumed ?? 0n,
    returnData:
      meta?.returnData == null
        ? null
        : { programId: addressOf(meta.returnData.programId), data: meta.returnData.data },
    innerInstructions: null,
  };
}

/** solana-bankrun (Agave 1.18 program-test) in this process. */
export class BankrunEngine implements Engine {
  readonly name = 'bankrun';
  readonly capabilities = {
    setAccount: true,
    setClock: true,
    innerInstructions: false,
    deterministic: false,
  };
  readonly #context: NativeContext;
  #hash = NO_DATA;
  #hashAtMs = Number.NEGATIVE_INFINITY;
  #retired: string | null = null;

  private constructor(context: NativeContext) {
    this.#context = context;
  }

  static async start(): Promise<BankrunEngine> {
    return new BankrunEngine(await contexts.take());
  }

  execute(transaction: EngineTransaction): Promise<Execution> {
    return this.#run(transaction, (bytes) => this.#context.banksClient.tryProcessVersionedTransaction(bytes));
  }

  simulate(transaction: EngineTransaction): Promise<Execution> {
    return this.#run(transaction, (bytes) => this.#context.banksClient.simulateVersionedTransaction(bytes));
  }

  async getAccount(address: string): Promise<Account | null> {
    return toAccount(await this.#context.banksClient.getAccount(bytesOf(address)));
  }

  async getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return Promise.all(addresses.map((address) => this.getAccount(address)));
  }

  setAccount(address: string, account: Account | null): void {
    const { Account: Native } = contexts.native();
    const { lamports, data, owner, executable } = account ?? {
      lamports: 0n,
      data: NO_DATA,
      owner: '11111111111111111111111111111111',
      executable: false,
    };
    // The last epoch marks an account as exempt from rent.
    const native = new Native(lamports, data, bytesOf(owner), executable, 2n ** 64n - 1n);
    this.#context.setAccount(bytesOf(address), native);
  }

  setClock({ slot, unixTimestamp }: EngineClock): void {
    const { Clock } = contexts.native();
    this.#context.setClock(new Clock(slot, unixTimestamp, 0n, 1n, unixTimestamp));
  }

  forgetTransactions(): void {
    // bankrun remembers signatures by blockhash: under another blockhash the same transaction is a new one.
    this.#retired = bs58.encode(this.#hash);
    this.#hashAtMs = Number.NEGATIVE_INFINITY;
  }

  release(): void {
    contexts.giveBack(this.#context);
  }

  async #run(
    { bytes, blockhashOffset }: EngineTransaction,
    send: (bytes: Uint8Array) => Promise<NativeResult>,
  ): Promise<Execution> {
    const patched = Uint8Array.from(bytes);
    patched.set(await this.#freshHash(), blockhashOffset);
    const first = await send(patched);
    if (first.meta !== null || first.result !== 'Blockhash not found') return toExecution(first);
    this.#hashAtMs = Number.NEGATIVE_INFINITY;
    patched.set(await this.#freshHash(), blockhashOffset);
    return toExecution(await send(patched));
  }

  async #freshHash(): Promise<Uint8Array> {
    if (performance.now() - this.#hashAtMs < HASH_FRESH_MS) return this.#hash;
    for (;;) {
      const latest = await this.#context.banksClient.getLatestBlockhash();
      if (latest === null) throw new Error('bankrun has no blockhash');
      if (latest.blockhash === this.#retired) continue;
      this.#retired = null;
      this.#hash = Uint8Array.from(bs58.decode(latest.blockhash));
      this.#hashAtMs = performance.now();
      return this.#hash;
    }
  }
}
