import { Map as PMap } from 'immutable';
import { NO_REQUEST } from '../core/domain/request-context.js';
import { Blockhashes, BLOCKHASH_LIFETIME_BLOCKS } from './blockhashes.js';
import { heightIn, slotOfHeight } from './blocks.js';
import type { Account, Engine, Execution, TransactionError } from './engine.js';
import {
  EMPTY_HISTORY,
  type History,
  type JumpEnd,
  type TouchedAccount,
  type TransactionRecord,
  append,
  appendJump,
  haveCommonPrefix,
  indexed,
  touchedSince,
} from './history.js';
import { LOOKUP_TABLE_PROGRAM, SYSVARS } from './solana/addresses.js';
import {
  type FlatTransaction,
  NOTHING_LOADED,
  flatten,
  loadAddresses,
  originalExecution,
} from './lookup-tables.js';
import { UnverifiedWrites, predict, sameAccount } from './prediction.js';
import { hasDurableNonce, nonceAccountOf, nonceIn, withNonces } from './nonces.js';
import { AccountWriter } from './replace-accounts.js';
import { type ChainClock, type ClockReading, SlotClock } from './slot-clock.js';
import type { Commitment, ConfirmationDepths } from './slots.js';
import {
  type ChainListener,
  type Prepared,
  type Refused,
  type SimulateOptions,
  type Simulation,
  type Submission,
  type SubmitOptions,
  compared,
  notExecuted,
  refused,
} from './submission.js';
import { SLOT_HASHES, Sysvars } from './sysvars.js';
import { ed25519Verifier, type SignatureVerifier, verifyTransaction } from './signatures.js';
import { asOnChain, isOfProgram } from './programs/deployed.js';
import { MalformedTransaction, type WireTransaction, isWritable, parseTransaction } from './solana/wire.js';

/** Blocks for which the bank reuses a blockhash; wallets reuse theirs for half a minute (75 blocks). */
const BLOCKHASH_REUSE_BLOCKS = 16;

export interface ChainSnapshot {
  readonly history: History;
  readonly accounts: PMap<string, Account | null>;
  readonly extraSlots: number;
  /** The reverts of the chain so far. */
  readonly reverts: number;
}

export interface ChainOptions {
  readonly engine: Engine;
  readonly clock: ChainClock;
  readonly seed: string;
  /** Slots until a processed transaction is confirmed and finalized; 0 for at once. */
  readonly confirmationSlots: ConfirmationDepths;
  /** Ed25519 verification by default. */
  readonly signatures?: SignatureVerifier | undefined;
}

/**
 * A Solana chain around an engine: blockhashes, signatures, duplicates, slots, history and snapshots, identical on every engine.
 * All access to the engine is serialized in one queue.
 */
export class Chain {
  readonly engine: Engine;
  readonly #clock: ChainClock;
  readonly #blockhashes: Blockhashes;
  readonly #slots: SlotClock;
  readonly #signatures: SignatureVerifier;
  readonly #writer: AccountWriter;
  #accounts: PMap<string, Account | null> = PMap();
  /** Where the current jump began, or continued after a transaction or a write; null outside a jump. */
  #jumpFrom: JumpEnd | null = null;
  #history: History = EMPTY_HISTORY;
  /** Accounts whose value was predicted for a transfer of the bank and not yet read back. */
  readonly #unverified: UnverifiedWrites;
  readonly #sysvars: Sysvars;
  #queue: Promise<unknown> = Promise.resolve();
  /** Whether the engine was released and another chain may use it. */
  #isReleased = false;
  #observer: (record: TransactionRecord) => void = () => undefined;
  readonly #listeners = new Set<ChainListener>();

  constructor(options: ChainOptions) {
    this.engine = options.engine;
    this.#clock = options.clock;
    this.#signatures = options.signatures ?? ed25519Verifier;
    this.#unverified = new UnverifiedWrites(options.engine);
    this.#blockhashes = new Blockhashes(options.seed);
    this.#sysvars = new Sysvars(this.engine);
    this.#writer = new AccountWriter(this.engine, () => this.#sysvars.begin());
    this.#slots = new SlotClock(options.clock, options.confirmationSlots);
    options.clock.onJump?.((before) => this.#jumped(before));
  }

  /** Calls `observer` for each executed transaction that is not the bank's own, before its sender gets the result. */
  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#observer = observer;
  }

  /** The current slot. */
  slot(): number {
    return this.#slots.current();
  }

  /** The slot at an instant that has passed. */
  slotAtInstant(atMs: number): number {
    return this.#slots.atInstant(atMs);
  }

  /** The instant at which a slot began, or will begin if time jumps there. */
  slotBeginsMs(slot: number): number {
    return this.#slots.beginsMs(slot);
  }

  /** The slot of the last block that has reached a commitment. */
  slotAt(commitment: Commitment): number {
    return this.slotOfHeight(this.heightAt(commitment));
  }

  slotOfHeight(height: number): number {
    return slotOfHeight(this.#settled().jumps, height);
  }

  /** The height of the last block that has reached a commitment. */
  heightAt(commitment: Commitment = 'processed'): number {
    return this.heightIn(this.#slots.at(commitment));
  }

  /** The height of the block in a slot, or of the last block before a slot that time has jumped over. */
  heightIn(slot: number): number {
    return heightIn(this.#settled().jumps, slot);
  }

  /** The slots of the blocks from one height to another. */
  slotsOfBlocks(first: number, last: number): number[] {
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => this.slotOfHeight(first + at));
  }

  /** Wall-clock milliseconds until a slot begins by itself; infinite while the clock is frozen. */
  msUntil(slot: number): number {
    return this.#slots.msUntil(slot);
  }

  /** Whether only transactions advance the slot. */
  isFrozen(): boolean {
    return this.#clock.isFrozen();
  }

  /** Simulated time in milliseconds since 1970. */
  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** Registers a listener for changes; returns the function that removes it. */
  listen(listener: ChainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The complete history, with its index by address up to date. */
  history(): History {
    this.#history = indexed(this.#history);
    return this.#history;
  }

  /** All accounts of genesis and all that were written since; removed ones are null. */
  touchedAccounts(): PMap<string, Account | null> {
    return this.#accounts;
  }

  blockhashAt(height: number): string {
    return this.#blockhashes.at(height);
  }

  /** Whether a blockhash is recent both now and at a commitment. */
  isBlockhashRecent(blockhash: string, commitment: Commitment): boolean {
    return (
      this.#blockhashes.isRecent(blockhash, this.heightAt()) &&
      this.#blockhashes.isRecent(blockhash, this.heightAt(commitment))
    );
  }

  /** Whether a transaction uses a current durable nonce in place of a blockhash. */
  hasDurableNonce(wire: WireTransaction): boolean {
    return hasDurableNonce(wire, (address) => this.knownAccount(address));
  }

  /** The current value of a nonce account; null for any other address. */
  durableNonce(address: string): string | null {
    return nonceIn(this.knownAccount(address));
  }

  /** Whether every required signature of a transaction is present and valid. */
  verify(wire: WireTransaction): boolean {
    return verifyTransaction(wire, this.#signatures);
  }

  /** The height of a usable blockhash; null for others. Greater than the current height if a revert undid its block. */
  heightOfBlockhash(blockhash: string): number | null {
    return this.#blockhashes.heightOf(blockhash, this.heightAt());
  }

  latestBlockhash(commitment: Commitment = 'processed'): { blockhash: string; lastValidBlockHeight: number } {
    const height = this.heightAt(commitment);
    return {
      blockhash: this.#blockhashes.at(height),
      lastValidBlockHeight: height + BLOCKHASH_LIFETIME_BLOCKS,
    };
  }

  /** The latest blockhash for external clients: after a revert it is new to all of them. */
  issuedBlockhash(commitment: Commitment): { blockhash: string; lastValidBlockHeight: number } {
    const blockhash = this.#blockhashes.issue(this.heightAt(commitment));
    return { ...this.latestBlockhash(commitment), blockhash };
  }

  /** A recent blockhash for the bank's own transactions, reused for a while as wallets do. */
  cachedBlockhash(): string {
    const height = this.heightAt();
    return this.#blockhashes.at(height - (height % BLOCKHASH_REUSE_BLOCKS));
  }

  /** The transaction with this signature; null when it is unknown. */
  transaction(signature: string): TransactionRecord | null {
    return this.#history.bySignature.get(signature) ?? null;
  }

  isConfirmed(record: TransactionRecord): boolean {
    return record.slot <= this.slotAt('confirmed');
  }

  transactionCount(address: string): number {
    return this.history().byAddress.get(address)?.size ?? 0;
  }

  /** The first transaction that references an address; null when none does. */
  firstTransaction(address: string): TransactionRecord | null {
    const first = this.history().byAddress.get(address)?.first();
    const record = first === undefined ? undefined : this.#history.log.get(first);
    return record?.kind === 'transaction' ? record : null;
  }

  /** The current value of an account; null when it does not exist. */
  async getAccount(address: string): Promise<Account | null> {
    if (this.#unverified.has(address)) await this.verifyPredictions();
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    return this.#enqueue(() => {
      if (address.startsWith('Sysvar')) {
        this.#bringSlotHashes(this.slot());
      }
      return this.engine.getAccount(address);
    });
  }

  /** An account that was written, or existed at genesis, without reading from the engine. */
  knownAccount(address: string): Account | null {
    return this.#accounts.get(address) ?? null;
  }

  /** Whether the engine has an initial account at this address. */
  async isOfEngine(address: string): Promise<boolean> {
    return (await this.#enqueue(() => this.#writer.original(address))) !== null;
  }

  /** Writes accounts directly, bypassing transaction rules; null removes one. */
  async setAccounts(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    await this.#enqueue(async () => this.#write(accounts));
  }

  /** Writes the genesis accounts in slot 0, even after a long startup, so that every commitment sees them. */
  async setGenesis(accounts: ReadonlyMap<string, Account | null>): Promise<void> {
    await this.#enqueue(async () => this.#write(accounts, 0));
  }

  /** Runs a serialized external transaction. Refusals carry Solana's own error names and change nothing. */
  async submit(bytes: Uint8Array, options: SubmitOptions = {}): Promise<Submission> {
    let wire: WireTransaction;
    try {
      wire = parseTransaction(bytes);
    } catch (error) {
      if (error instanceof MalformedTransaction) return refused('SanitizeFailure', [error.message]);
      throw error;
    }
    return this.submitWire(wire, options);
  }

  /** Like `submit`, for a parsed transaction. */
  async submitWire(wire: WireTransaction, options: SubmitOptions = {}): Promise<Submission> {
    if (!this.verify(wire)) return refused('SignatureFailure');
    return this.#enqueue(async () => {
      await this.#verifyPredictions();
      const stale = this.#isStale(wire, options.atSlot);
      if (stale !== null) return refused(stale);
      const prepared = await this.#prepare(wire, true);
      if ('error' in prepared) return refused(prepared.error);
      const submission = await this.#process(wire, prepared, options);
      if (submission.kind !== 'processed') return submission;
      this.#endSlotOf(wire, submission.record);
      this.#observer(submission.record);
      return submission;
    });
  }

  /**
   * Runs a transaction that the bank has just compiled and signed: without preflight, and not reported to the observer. Its blockhash
   * is not checked, since at a thousandfold speed it may already be stale.
   */
  async submitOwn(wire: WireTransaction, { cause }: SubmitOptions): Promise<Submission> {
    return this.#enqueue(async () => {
      if (this.#history.bySignature.has(wire.signature)) return refused('AlreadyProcessed');
      if (this.#unverified.isFull) await this.#verifyPredictions();
      const prepared = await this.#prepare(wire, false);
      if ('error' in prepared) return refused(prepared.error);
      return this.#process(wire, prepared, { cause, skipPreflight: true }, true);
    });
  }

  /** Verifies predicted accounts against the engine. Throws when they differ, which is a bug in the prediction. */
  async verifyPredictions(): Promise<void> {
    await this.#enqueue(() => this.#verifyPredictions());
  }

  /** Simulates a transaction without lasting effects. Signatures are not checked. */
  async simulate(wire: WireTransaction, options: SimulateOptions = {}): Promise<Simulation> {
    return this.#enqueue(async () => {
      await this.#verifyPredictions();
      const stale = options.replaceBlockhash === true ? null : this.#isStale(wire);
      const prepared = stale === null ? await this.#prepare(wire, true) : { error: stale };
      if ('error' in prepared) {
        return {
          execution: notExecuted(prepared.error),
          feeLamports: 0n,
          loaded: NOTHING_LOADED,
          touched: [],
        };
      }
      // Executed for real and rolled back, since engines report more about executed transactions.
      const execution = this.#notified(await this.engine.execute(prepared.flat), prepared);
      const { writable, pre, loaded } = prepared;
      const post = execution.executed ? this.#asOnCluster(wire, prepared, await this.#undo(prepared)) : pre;
      const { touched, feeLamports } = compared(writable, pre, post);
      return { execution, feeLamports, loaded, touched };
    });
  }

  /** Why a transaction would be refused: signatures, blockhash, duplicates or preflight. Null when it is acceptable. */
  async refusalOf(wire: WireTransaction): Promise<Refused | null> {
    if (!this.verify(wire)) return refused('SignatureFailure');
    const { execution } = await this.simulate(wire);
    return execution.error === null ? null : refused(execution.error, execution.logs, execution);
  }

  /** The current state of the chain; cheap, since it consists of values. */
  snapshot(): ChainSnapshot {
    this.#jumped(null);
    return {
      history: this.#history,
      accounts: this.#accounts,
      extraSlots: this.#slots.extra.value,
      reverts: this.#blockhashes.reverts,
    };
  }

  /** Restores a snapshot of this chain, or of one with the same genesis. */
  async restore(snapshot: ChainSnapshot): Promise<void> {
    await this.#enqueue(async () => {
      this.#unverified.clear();
      // A snapshot from another process shares no record with this history: then every account touched in either may differ.
      const touched = haveCommonPrefix(this.#history, snapshot.history)
        ? touchedSince(this.#history, snapshot.history)
        : new Set([...this.#accounts.keys(), ...snapshot.accounts.keys()]);
      const changes = await this.#rewrite(touched, snapshot.accounts);
      this.#history = snapshot.history;
      this.#jumpFrom = null;
      this.#slots.extra.value = snapshot.extraSlots;
      this.#blockhashes.reverted(snapshot.reverts);
      this.#sysvars.forget();
      this.engine.forgetTransactions();
      for (const listener of this.#listeners) listener.restored(changes);
    });
  }

  /** Releases the engine in its state before the first transaction. Later calls are rejected. */
  async release(): Promise<void> {
    await this.#enqueue(async () => {
      this.#isReleased = true;
      this.#writer.reset();
      this.engine.forgetTransactions();
      this.engine.release();
    });
  }

  /** Replaces accounts in the engine: all of them, or none if it refuses one. Returns those that differ. */
  async #rewrite(
    addresses: ReadonlySet<string>,
    accounts: PMap<string, Account | null>,
  ): Promise<TouchedAccount[]> {
    const changes: TouchedAccount[] = [];
    for (const address of addresses) {
      const original = await this.#writer.original(address);
      const post = accounts.has(address) ? (accounts.get(address) ?? null) : original;
      const pre = this.#accounts.has(address) ? (this.#accounts.get(address) ?? null) : original;
      if (post !== pre && !sameAccount(post, pre)) changes.push({ address, pre, post });
    }
    await this.#writer.replace(changes, this.#accounts);
    this.#accounts = accounts;
    return changes;
  }

  /** Time has jumped since `before`; null at the end. A jump has blocks only at its end and where something changed. */
  #jumped(before: ClockReading | null): void {
    if (before !== null) {
      this.#jumpFrom ??= { slot: this.#slots.when(before.slotMs), ms: before.nowMs };
      return;
    }
    this.#history = this.#settled();
    this.#jumpFrom = null;
  }

  /** The history with the current jump. */
  #settled(): History {
    if (this.#jumpFrom === null) return this.#history;
    return appendJump(this.#history, this.#jumpFrom, { slot: this.slot(), ms: this.#clock.nowMs() });
  }

  /** Lets programs see the hashes of the last blocks, which creating a lookup table requires. */
  #bringSlotHashes(slot: number): void {
    const last = this.heightIn(slot);
    const slots = this.slotsOfBlocks(Math.max(0, last - SLOT_HASHES + 1), last).toReversed();
    const hashes = slots.map((of, at) => ({ slot: of, hash: this.#blockhashes.at(last - at) }));
    this.#sysvars.bringSlotHashes({ ms: this.#clock.nowMs(), slot }, hashes);
  }

  async #write(accounts: ReadonlyMap<string, Account | null>, slot = this.slot()): Promise<void> {
    this.#jumped(null);
    const touched: TouchedAccount[] = [];
    for (const [address, post] of accounts) touched.push({ address, pre: await this.#before(address), post });
    if (touched.some(({ pre, post }) => isOfProgram(pre) || isOfProgram(post)))
      await this.#verifyPredictions();
    await this.#writer.replace(touched, this.#accounts);
    this.#accounts = this.#accounts.withMutations((all) => {
      for (const { address, post } of touched) all.set(address, post);
    });
    this.#history = append(this.#history, {
      kind: 'write',
      slot,
      isAfterJump: false,
      blockTimeSeconds: this.#blockTime(slot),
      touched,
    });
    for (const listener of this.#listeners) listener.changed(touched, null, NO_REQUEST);
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const closed = () => Promise.reject(new Error('the chain of this world is closed'));
    const done = this.#queue.then(() => (this.#isReleased ? closed() : work()));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** The block time of a slot in seconds: the time of its first record. */
  #blockTime(slot: number): number {
    const last = this.#history.log.last();
    return last?.slot === slot ? last.blockTimeSeconds : Math.floor(this.#clock.nowMs() / 1_000);
  }

  /** The reason why a cluster would reject a transaction without executing it. */
  #isStale(wire: WireTransaction, slot = this.slot()): TransactionError | null {
    if (!this.#blockhashes.isRecent(wire.blockhash, this.heightIn(slot)) && !this.hasDurableNonce(wire))
      return 'BlockhashNotFound';
    return this.#history.bySignature.has(wire.signature) ? 'AlreadyProcessed' : null;
  }

  #verifyPredictions(): Promise<void> {
    return this.#unverified.verify((address) => this.#accounts.get(address) ?? null);
  }

  /** The accounts after a transaction: predicted for a plain transfer of the bank, otherwise read from the engine. */
  async #after(
    wire: WireTransaction,
    prepared: Prepared,
    isPredictable: boolean,
  ): Promise<readonly (Account | null)[]> {
    const { writable, pre } = prepared;
    const predicted = isPredictable ? predict(wire, writable, pre) : null;
    if (predicted !== null) {
      this.#unverified.add(writable);
      return predicted;
    }
    const read = await this.engine.getAccounts(writable);
    const post = this.#asOnCluster(wire, prepared, read);
    for (const [at, account] of post.entries()) {
      if (account !== read[at]) this.engine.setAccount(writable[at] as string, account);
    }
    return post;
  }

  /** Converts an engine's writes to a cluster's: engines have their own slots, and nonces of their own blockhashes. */
  #asOnCluster(
    wire: WireTransaction,
    { writable, pre, slot }: Prepared,
    written: readonly (Account | null)[],
  ): readonly (Account | null)[] {
    const post = written.map((account) => account && asOnChain(account));
    const advanced = this.hasDurableNonce(wire) ? writable.indexOf(nonceAccountOf(wire) as string) : null;
    return withNonces({ pre, post }, advanced, this.#blockhashes.at(this.heightIn(slot)));
  }

  /** Prepares the engine for a transaction. External transactions may read the slot; the bank's own do not. */
  async #prepare(
    wire: WireTransaction,
    isForeign: boolean,
  ): Promise<Prepared | { readonly error: TransactionError }> {
    this.#jumped(null);
    const slot = this.#slots.next();
    const now = { ms: this.#clock.nowMs(), slot, isSlotExact: isForeign };
    this.#sysvars.bringClock(now);
    if (wire.keys.includes(LOOKUP_TABLE_PROGRAM) || wire.keys.includes(SYSVARS.slotHashes))
      this.#bringSlotHashes(slot);
    let loaded = NOTHING_LOADED;
    let flat: FlatTransaction = { bytes: wire.bytes, blockhashOffset: wire.blockhashOffset, original: null };
    if (wire.lookups.length > 0) {
      const found = await loadAddresses(wire, slot, (table) => this.#before(table));
      if ('error' in found) return found;
      ({ loaded } = found);
      flat = flatten(wire, loaded);
    }
    const writable = [...wire.keys.filter((_, at) => isWritable(wire, at)), ...loaded.writable];
    const pre: (Account | null)[] = [];
    for (const address of writable) pre.push(this.#accounts.get(address) ?? (await this.#before(address)));
    return { flat, loaded, writable, pre, slot };
  }

  /** Rolls back the accounts that an execution wrote; returns the values it had written. */
  async #undo({ writable, pre }: Prepared): Promise<(Account | null)[]> {
    const post = await this.engine.getAccounts(writable);
    const undone: TouchedAccount[] = [];
    for (const [at, address] of writable.entries()) {
      const before = pre[at] ?? null;
      const after = post[at] ?? null;
      if (sameAccount(before, after)) continue;
      this.engine.setAccount(address, before);
      undone.push({ address, pre: after, post: before });
    }
    await this.#reloadPrograms(undone);
    this.engine.forgetTransactions();
    return post;
  }

  /**
   * Ends the slot in which an external transaction ran, if it used the latest blockhash or changed a nonce. The sender
   * needs another blockhash for an equal transaction or for the nonce. On a cluster, confirming takes longer than a
   * slot.
   */
  #endSlotOf({ blockhash }: WireTransaction, { touched }: TransactionRecord): void {
    if (this.#clock.isFrozen()) return;
    const isUsed = (this.heightOfBlockhash(blockhash) ?? -1) >= this.heightAt();
    if (isUsed || touched.some(({ post }) => nonceIn(post) !== null)) this.#slots.passed(this.slot() + 1);
  }

  #notified(execution: Execution, { flat }: Prepared): Execution {
    return flat.original === null ? execution : originalExecution(execution, flat.original);
  }

  async #process(
    wire: WireTransaction,
    prepared: Prepared,
    { cause = NO_REQUEST, skipPreflight = false }: SubmitOptions,
    isOwn = false,
  ): Promise<Submission> {
    const { writable, pre, loaded, slot } = prepared;
    const execution = this.#notified(await this.engine.execute(prepared.flat), prepared);
    if (!execution.executed)
      return refused(execution.error ?? 'ClusterMaintenance', execution.logs, execution);
    if (execution.error !== null && !skipPreflight) {
      // Preflight would have caught this, and no fee would have been charged.
      await this.#undo(prepared);
      return refused(execution.error, execution.logs, execution);
    }
    const post = await this.#after(wire, prepared, isOwn && execution.error === null);
    const { touched, feeLamports } = compared(writable, pre, post);
    const record: TransactionRecord = {
      kind: 'transaction',
      signature: wire.signature,
      bytes: wire.bytes,
      requiredSignatures: wire.requiredSignatures,
      accountKeys:
        loaded === NOTHING_LOADED ? wire.keys : [...wire.keys, ...loaded.writable, ...loaded.readonly],
      slot,
      blockTimeSeconds: this.#blockTime(slot),
      error: execution.error,
      feeLamports,
      execution,
      touched,
    };
    this.#accounts = this.#accounts.withMutations((accounts) => {
      for (const { address, post: after } of touched) accounts.set(address, after);
    });
    await this.#reloadPrograms(touched);
    this.#history = append(this.#history, record);
    this.#slots.passed(slot);
    for (const listener of this.#listeners) listener.changed(touched, record, cause);
    return { kind: 'processed', record };
  }

  /** Applies changes of programs by a transaction or its rollback, which an engine would apply later or never. */
  async #reloadPrograms(changed: readonly TouchedAccount[]): Promise<void> {
    const programs = changed.filter(
      ({ pre, post }) => (isOfProgram(pre) || isOfProgram(post)) && !sameAccount(pre, post),
    );
    if (programs.length === 0) return;
    for (const { address } of programs) this.engine.noteProgram(address);
    await this.#writer.replace(programs, this.#accounts);
  }

  /** The value of an account before a write; reads from the engine only on the first write. */
  async #before(address: string): Promise<Account | null> {
    const known = this.#accounts.get(address);
    return known === undefined ? this.#writer.original(address) : known;
  }
}
