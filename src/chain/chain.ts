import { type List, Map as PMap } from 'immutable';
import { Blockhashes, BLOCKHASH_LIFETIME_SLOTS } from './blockhashes.js';
import type { Account, Engine, Execution, TransactionError } from './engine.js';
import {
  EMPTY_HISTORY,
  type History,
  type TouchedAccount,
  type TransactionRecord,
  append,
  indexed,
  touchedSince,
} from './history.js';
import { addressOf } from './addresses.js';
import { type ExpectedChanges, WrongPrediction, predict, sameAccount } from './prediction.js';
import { tokenHolding } from './tokens.js';
import { verifyTransaction } from './signatures.js';
import { MalformedTransaction, type WireTransaction, isWritable, parseTransaction } from './wire.js';

export const SLOT_MS = 400;

/** So many transfers may be known by prediction only before their accounts are read back. */
const UNPROVED_LIMIT = 48;

/** For so many slots the bank keeps a blockhash; wallets keep theirs for half a minute, which is 75. */
const KEPT_SLOTS = 16;

/** The chain's view of the world's clock. */
export interface ChainClock {
  nowMs(): number;
  /** A frozen clock has a slot for each transaction, a running one a slot for each 400 ms. */
  isFrozen(): boolean;
}

/** A chain at one moment, as a value. */
export interface ChainMark {
  readonly history: History;
  readonly accounts: PMap<string, Account | null>;
  readonly slot: number;
  readonly genesisMs: number;
}

/** What became of a submitted transaction. */
export type Submission =
  | { readonly kind: 'processed'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly error: TransactionError; readonly logs: readonly string[] };

export interface SubmitOptions {
  /** Skips the trial run, as a cluster does on request: a failing transaction is then charged and recorded. */
  readonly skipPreflight?: boolean;
}

/** What the bank says of a transaction of its own. */
export interface OwnTransaction {
  /** What a plain transfer will do; null for anything else. */
  readonly changes: ExpectedChanges | null;
  /** Work to do while the engine runs the transaction, which most engines do on a thread of their own. */
  readonly meanwhile?: (() => void) | undefined;
}

const FOREIGN: OwnTransaction = { changes: null };

/** The accounts that a transaction names by lookup tables. */
interface Loaded {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

const NOTHING_LOADED: Loaded = { writable: [], readonly: [] };

function refused(error: TransactionError, logs: readonly string[] = []): Submission & { kind: 'refused' } {
  return { kind: 'refused', error, logs };
}

export interface ChainOptions {
  readonly engine: Engine;
  readonly clock: ChainClock;
  readonly seed: string;
  /** Slots until a processed transaction is confirmed; 0 for at once. */
  readonly confirmationSlots: number;
}

/**
 * A Solana chain around an engine: blockhashes, signatures, duplicates, slots, history and snapshots, alike on every engine.
 * Everything that touches the engine goes through one queue.
 */
export class Chain {
  readonly engine: Engine;
  readonly #clock: ChainClock;
  readonly #blockhashes: Blockhashes;
  readonly #confirmationSlots: number;
  #genesisMs: number;
  /** The engine's own value of every account before it was first touched. */
  readonly #untouched = new Map<string, Account | null>();
  #accounts: PMap<string, Account | null> = PMap();
  #history: History = EMPTY_HISTORY;
  #slot = 0;
  /** Accounts whose value was predicted for a transfer of the bank and not read back yet. */
  readonly #unproved = new Set<string>();
  #unprovedTransfers = 0;
  #engineSeconds: number | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #observer: (record: TransactionRecord) => void = () => undefined;

  constructor(options: ChainOptions) {
    this.engine = options.engine;
    this.#clock = options.clock;
    this.#blockhashes = new Blockhashes(options.seed);
    this.#confirmationSlots = options.confirmationSlots;
    this.#genesisMs = options.clock.nowMs();
  }

  /** Calls `observer` for each transaction that ran and was not the bank's own, before its sender hears of it. */
  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#observer = observer;
  }

  /** The current slot. */
  slot(): number {
    const fromClock = Math.floor((this.#clock.nowMs() - this.#genesisMs) / SLOT_MS);
    return Math.max(this.#slot, fromClock);
  }

  latestBlockhash(): { blockhash: string; lastValidBlockHeight: number } {
    const slot = this.slot();
    return { blockhash: this.#blockhashes.at(slot), lastValidBlockHeight: slot + BLOCKHASH_LIFETIME_SLOTS };
  }

  /** A recent blockhash for the bank's own transactions: like a wallet, it keeps one for a while. */
  keptBlockhash(): string {
    const slot = this.slot();
    return this.#blockhashes.at(slot - (slot % KEPT_SLOTS));
  }

  /** The transaction with this signature; null when the chain does not know it. */
  transaction(signature: string): TransactionRecord | null {
    return this.#history.bySignature.get(signature) ?? null;
  }

  isConfirmed(record: TransactionRecord): boolean {
    return this.slot() - record.slot >= this.#confirmationSlots;
  }

  /** How many transactions named an address. */
  transactionCount(address: string): number {
    return this.#namedIn(address)?.size ?? 0;
  }

  /** The first transaction that named an address; null when none did. */
  firstTransaction(address: string): TransactionRecord | null {
    const first = this.#namedIn(address)?.first();
    const record = first === undefined ? undefined : this.#history.log.get(first);
    return record?.kind === 'transaction' ? record : null;
  }

  /** An account as it is now; null when there is none. */
  async getAccount(address: string): Promise<Account | null> {
    if (this.#unproved.has(address)) await this.prove();
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    return this.#enqueue(() => this.engine.getAccount(address));
  }

  /** An account that the chain has touched, or that was there at genesis, without asking the engine. */
  knownAccount(address: string): Account | null {
    return this.#accounts.get(address) ?? null;
  }

  /** The wallet that owns a token account the chain has touched; null for anything else. */
  tokenOwner(address: string): string | null {
    return tokenHolding(this.knownAccount(address))?.owner ?? null;
  }

  /** Writes an account past all rules; null removes it. */
  async setAccount(address: string, account: Account | null): Promise<void> {
    await this.#enqueue(async () => this.#write(new Map([[address, account]])));
  }

  /** Writes many accounts past all rules. */
  async setAccounts(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    await this.#enqueue(async () => this.#write(accounts));
  }

  /** Runs a serialized transaction from outside. Refusals carry Solana's own error names and change nothing. */
  async submit(bytes: Uint8Array, options: SubmitOptions = {}): Promise<Submission> {
    const parsed = this.#parse(bytes);
    if (parsed.kind === 'refused') return parsed;
    const { wire } = parsed;
    if (!verifyTransaction(wire)) return refused('SignatureFailure');
    return this.#enqueue(async () => {
      await this.#prove();
      if (!this.#blockhashes.isRecent(wire.blockhash, this.slot())) return refused('BlockhashNotFound');
      if (this.#history.bySignature.has(wire.signature)) return refused('AlreadyProcessed');
      const trial = options.skipPreflight === true ? null : await this.#preflight(wire);
      if (trial !== null) return trial;
      const submission = await this.#process(wire, FOREIGN);
      if (submission.kind === 'processed') this.#observer(submission.record);
      return submission;
    });
  }

  /**
   * Runs a transaction that the bank compiled and signed itself a moment ago: without trial run, unobserved. Its blockhash is
   * the chain's own, which at a thousandfold speed may be old already.
   */
  async submitOwn(wire: WireTransaction, own: OwnTransaction): Promise<Submission> {
    return this.#enqueue(async () =>
      this.#history.bySignature.has(wire.signature) ? refused('AlreadyProcessed') : this.#process(wire, own),
    );
  }

  /** Reads back what was predicted. Throws when the engine holds something else: then the prediction is wrong, a bug. */
  async prove(): Promise<void> {
    await this.#enqueue(() => this.#prove());
  }

  /** Runs a transaction without effect. Signatures are not checked. */
  async simulate(bytes: Uint8Array): Promise<Execution> {
    const parsed = this.#parse(bytes);
    if (parsed.kind === 'refused') {
      return {
        executed: false,
        error: parsed.error,
        logs: [],
        unitsConsumed: 0n,
        returnData: null,
        innerInstructions: null,
      };
    }
    return this.#enqueue(() => {
      this.#bringClock();
      return this.engine.simulate(parsed.wire);
    });
  }

  /** The chain as it is now; cheap, since it is made of values. */
  mark(): ChainMark {
    return { history: this.#history, accounts: this.#accounts, slot: this.#slot, genesisMs: this.#genesisMs };
  }

  /** Makes the chain what it was at a mark of this chain, or of one that began with the same genesis. */
  async restore(mark: ChainMark): Promise<void> {
    await this.#enqueue(async () => {
      this.#unproved.clear();
      this.#unprovedTransfers = 0;
      await this.#rewrite(touchedSince(this.#history, mark.history), mark.accounts);
      this.#history = mark.history;
      this.#slot = mark.slot;
      this.#genesisMs = mark.genesisMs;
      this.#engineSeconds = null;
      this.engine.forgetTransactions();
    });
  }

  /** Gives the engine back as it was before the first transaction. */
  async release(): Promise<void> {
    await this.#enqueue(async () => {
      await this.#rewrite(new Set(this.#untouched.keys()), PMap());
      this.engine.forgetTransactions();
      this.engine.release();
    });
  }

  #namedIn(address: string): List<number> | undefined {
    this.#history = indexed(this.#history);
    return this.#history.byAddress.get(address);
  }

  async #rewrite(addresses: ReadonlySet<string>, accounts: PMap<string, Account | null>): Promise<void> {
    for (const address of addresses) {
      if (!this.#untouched.has(address)) this.#untouched.set(address, await this.engine.getAccount(address));
      const untouched = this.#untouched.get(address) ?? null;
      const target = accounts.has(address) ? (accounts.get(address) ?? null) : untouched;
      const current = this.#accounts.has(address) ? (this.#accounts.get(address) ?? null) : untouched;
      if (target !== current) this.engine.setAccount(address, target);
    }
    this.#accounts = accounts;
  }

  async #write(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    const touched: TouchedAccount[] = [];
    let next = this.#accounts;
    for (const [address, post] of accounts) {
      const pre = await this.#before(address);
      this.engine.setAccount(address, post);
      next = next.set(address, post);
      touched.push({ address, pre, post });
    }
    this.#accounts = next;
    this.#history = append(this.#history, { kind: 'write', touched });
  }

  #parse(bytes: Uint8Array): { kind: 'wire'; wire: WireTransaction } | (Submission & { kind: 'refused' }) {
    try {
      return { kind: 'wire', wire: parseTransaction(bytes) };
    } catch (error) {
      if (error instanceof MalformedTransaction) return refused('SanitizeFailure', [error.message]);
      throw error;
    }
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #preflight(wire: WireTransaction): Promise<Submission | null> {
    this.#bringClock();
    const trial = await this.engine.simulate(wire);
    return trial.error === null ? null : refused(trial.error, trial.logs);
  }

  async #prove(): Promise<void> {
    if (this.#unproved.size === 0) return;
    const addresses = [...this.#unproved];
    this.#unproved.clear();
    this.#unprovedTransfers = 0;
    const actual = await this.engine.getAccounts(addresses);
    for (const [at, address] of addresses.entries()) {
      if (!sameAccount(actual[at] ?? null, this.#accounts.get(address) ?? null)) {
        throw new WrongPrediction(
          `the engine holds something else at ${address} than a transfer of the bank should leave`,
        );
      }
    }
  }

  /** The accounts after a transaction: as predicted for a plain transfer of the bank, else as the engine has them. */
  async #after(
    writable: readonly string[],
    pre: readonly (Account | null)[],
    changes: ExpectedChanges | null,
  ): Promise<(Account | null)[]> {
    const predicted = changes === null ? null : predict(writable, pre, changes);
    if (predicted === null) return this.engine.getAccounts(writable);
    for (const address of writable) this.#unproved.add(address);
    this.#unprovedTransfers += 1;
    return predicted;
  }

  async #process(wire: WireTransaction, { changes, meanwhile }: OwnTransaction): Promise<Submission> {
    if (this.#unprovedTransfers >= UNPROVED_LIMIT) await this.#prove();
    this.#bringClock();
    const loaded = wire.lookups.length === 0 ? NOTHING_LOADED : await this.#loadedAddresses(wire);
    const writable = [...wire.keys.filter((_, at) => isWritable(wire, at)), ...loaded.writable];
    const pre: (Account | null)[] = [];
    for (const address of writable) pre.push(this.#accounts.get(address) ?? (await this.#before(address)));
    const running = this.engine.execute(wire);
    meanwhile?.();
    const execution = await running;
    if (!execution.executed) return refused(execution.error ?? 'ClusterMaintenance', execution.logs);
    const post = await this.#after(writable, pre, execution.error === null ? changes : null);
    const record = this.#record(wire, { execution, writable, pre, post, loaded });
    return { kind: 'processed', record };
  }

  #record(
    wire: WireTransaction,
    run: {
      execution: Execution;
      writable: string[];
      pre: (Account | null)[];
      post: (Account | null)[];
      loaded: Loaded;
    },
  ): TransactionRecord {
    let feeLamports = 0n;
    const touched = run.writable.map((address, at) => {
      const [pre, post] = [run.pre[at] ?? null, run.post[at] ?? null];
      feeLamports += (pre?.lamports ?? 0n) - (post?.lamports ?? 0n);
      return { address, pre, post };
    });
    const slot = this.#clock.isFrozen() ? Math.max(this.#slot + 1, this.slot()) : this.slot();
    const record: TransactionRecord = {
      kind: 'transaction',
      signature: wire.signature,
      bytes: wire.bytes,
      requiredSignatures: wire.requiredSignatures,
      accountKeys:
        run.loaded === NOTHING_LOADED
          ? wire.keys
          : [...wire.keys, ...run.loaded.writable, ...run.loaded.readonly],
      slot,
      blockTimeSeconds: Math.floor(this.#clock.nowMs() / 1_000),
      error: run.execution.error,
      feeLamports,
      execution: run.execution,
      touched,
    };
    this.#accounts = this.#accounts.withMutations((accounts) => {
      for (const { address, post } of touched) accounts.set(address, post);
    });
    this.#history = append(this.#history, record);
    this.#slot = slot;
    return record;
  }

  /** The value of an account before a write; asks the engine once, for the first touch. */
  async #before(address: string): Promise<Account | null> {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const first = this.#untouched.get(address);
    if (first !== undefined) return first;
    const account = await this.engine.getAccount(address);
    this.#untouched.set(address, account);
    return account;
  }

  async #loadedAddresses(wire: WireTransaction): Promise<Loaded> {
    const writable: string[] = [];
    const readonly: string[] = [];
    for (const lookup of wire.lookups) {
      const table = this.#accounts.get(lookup.table) ?? (await this.engine.getAccount(lookup.table));
      const addressAt = (index: number): string | null => {
        // Address lookup table program: a header of 56 bytes, then 32 bytes an address.
        const from = 56 + 32 * index;
        const bytes = table?.data.subarray(from, from + 32);
        return bytes?.length === 32 ? addressOf(bytes) : null;
      };
      for (const index of lookup.writable)
        writable.push(...[addressAt(index)].filter((found) => found !== null));
      for (const index of lookup.readonly)
        readonly.push(...[addressAt(index)].filter((found) => found !== null));
    }
    return { writable, readonly };
  }

  /** Programs see the world's time; the engine is told when the second has changed. */
  #bringClock(): void {
    const seconds = Math.floor(this.#clock.nowMs() / 1_000);
    if (seconds === this.#engineSeconds || !this.engine.capabilities.setClock) return;
    this.engine.setClock({ slot: BigInt(this.slot()), unixTimestamp: BigInt(seconds) });
    this.#engineSeconds = seconds;
  }
}
