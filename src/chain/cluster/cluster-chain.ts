import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { PerToken } from '../../core/domain/money.js';
import {
  type Activity,
  type ChainBackend,
  type ChainReads,
  ChainUnreachable,
  type Lookup,
  OutcomeUnknown,
  type WantedReads,
  asUnreachable,
} from '../backend.js';
import type { Account } from '../engine.js';
import type { TransactionRecord } from '../history.js';
import { type Submission, refused } from '../submission.js';
import { type WireTransaction, parseTransaction } from '../solana/wire.js';
import { blockhashAnswer, epochAnswer, statusesAnswer, preflightError } from './answers.js';
import { Arrivals } from './arrivals.js';
import { ClusterReader } from './reader.js';
import { RpcError, RpcNode } from './rpc.js';

/** How long the bank reuses a blockhash, in wall-clock milliseconds; a cluster accepts it for about a minute. */
const BLOCKHASH_REUSE_MS = 10_000;

/** Pauses between polls of a transaction's status; the first poll is immediate. */
const PAUSES_MS = [50, 100, 200, 400];

/** How long to poll before the outcome counts as unknown. */
const PATIENCE_MS = 60_000;

/** How many consecutive polls may fail before the outcome counts as unknown. */
const FAILURES = 3;

const INVALID_PARAMS = -32_602;
const PREFLIGHT_FAILURE = -32_002;

/**
 * Errors by which a node rejects a transaction before it sends it on: its signatures, precompiled programs, number of
 * signatures, encoding. Source: Agave's rpc-client-api, custom_error. After any other error it may still run.
 */
const NEVER_SENT: readonly number[] = [-32_003, -32_006, -32_013, INVALID_PARAMS];
const MAX_BLOCKHASHES = 100;

interface CachedBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly readAtMs: number;
}

function wanted<T>(read: T | null): T {
  if (read === null) throw new Error('an operation reads what it has not declared');
  return read;
}

/** A Solana cluster behind a JSON-RPC URL as the bank's chain. Its state is external: only reported transactions are stored. */
export class ClusterChain implements ChainBackend {
  readonly reads = null;
  readonly #node: RpcNode;
  readonly #reader: ClusterReader;
  readonly #arrivals: Arrivals;
  readonly #wallMs: () => number;
  #cachedHash: CachedBlockhash | null = null;
  /** The last valid block height of each blockhash. */
  readonly #heights = new Map<string, number>();
  /** Transactions that may have been sent and have no outcome yet, with their last valid block height. */
  readonly #open = new Map<string, number>();

  constructor(options: { url: string; usdcMint: string; wallMs: () => number }) {
    this.#node = new RpcNode(options.url);
    this.#reader = new ClusterReader(this.#node);
    this.#arrivals = new Arrivals(this.#reader, options.usdcMint);
    this.#wallMs = options.wallMs;
  }

  /** The node's name in messages. */
  get name(): string {
    return this.#node.name;
  }

  async reading<T>(
    { transaction, account, activityOf, blockhash }: WantedReads,
    operation: (reads: ChainReads) => T,
  ): Promise<T> {
    const found = {
      blockhash: blockhash === undefined ? null : await this.#blockhash(),
      lookUp: transaction === undefined ? null : await this.#lookUp(transaction),
      account: account === undefined ? null : { value: await this.#reader.account(account) },
      activityOf: activityOf === undefined ? null : await this.#activityOf(activityOf),
    };
    return operation({
      blockhash: () => wanted(found.blockhash),
      lookUp: () => wanted(found.lookUp),
      account: () => wanted(found.account).value,
      activityOf: () => wanted(found.activityOf),
    });
  }

  async #blockhash(): Promise<string> {
    const cached = this.#cachedHash;
    if (cached !== null && this.#wallMs() - cached.readAtMs < BLOCKHASH_REUSE_MS) return cached.blockhash;
    return (await this.latestBlockhash()).blockhash;
  }

  async latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: number }> {
    const params = [{ commitment: 'confirmed' }];
    const { value } = await this.#node.read('getLatestBlockhash', params, blockhashAnswer);
    if (this.#heights.size >= MAX_BLOCKHASHES) this.#heights.clear();
    this.#heights.set(value.blockhash, value.lastValidBlockHeight);
    this.#cachedHash = { ...value, readAtMs: this.#wallMs() };
    return value;
  }

  async submitOwn(wire: WireTransaction): Promise<Submission> {
    this.#arrivals.own(wire.signature);
    try {
      return await this.#submit(wire, { skipPreflight: false });
    } catch (error) {
      // After an unexpected error it may still run, unless it was not sent.
      if (error instanceof ChainUnreachable || !this.#open.has(wire.signature)) throw error;
      throw new OutcomeUnknown(wire.signature, (error as Error).message);
    }
  }

  /** Sends a serialized transaction from any sender and waits for its confirmation. Also throws MalformedTransaction. */
  submit(bytes: Uint8Array, options: { skipPreflight: boolean }): Promise<Submission> {
    return this.#submit(parseTransaction(bytes), options);
  }

  async outcomeOf(signature: string): Promise<Submission | null> {
    const height = this.#open.get(signature);
    if (height === undefined) throw new Error(`${signature} is not an open transaction of the bank`);
    const outcome = await this.#outcome(signature, height);
    if (outcome !== null) this.#open.delete(signature);
    return outcome;
  }

  executedUnconfirmed(): null {
    return null;
  }

  async #lookUp({ signature, address }: NonNullable<WantedReads['transaction']>): Promise<Lookup> {
    try {
      const record = await this.#reader.transaction(signature);
      if (record === null)
        return { kind: (await this.#status(signature)).status === null ? 'unknown' : 'unconfirmed' };
      if (this.#arrivals.isOlder(record, address)) return { kind: 'older' };
      await this.#arrivals.claim(record);
      return { kind: 'known', record, isConfirmed: true };
    } catch (error) {
      if (error instanceof RpcError && error.code === INVALID_PARAMS) return { kind: 'unknown' };
      return { kind: 'unreachable', reason: asUnreachable(error).message };
    }
  }

  /** Counts at most a thousand transactions, the maximum that a node returns at once. */
  async #activityOf(address: string): Promise<Activity> {
    const listed = await this.#reader.signatures(address);
    return { transactions: listed.length, firstSeconds: listed.at(-1)?.blockTime ?? null };
  }

  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return this.#reader.accounts(addresses);
  }

  getAccount(address: string): Promise<Account | null> {
    return this.#reader.account(address);
  }

  /** The last slot reported by the node. */
  slot(): number {
    return this.#reader.slot;
  }

  isInOpening(ran: { signature: string; slot: number }, address: string): boolean {
    return this.#arrivals.isOlder(ran, address);
  }

  watch(address: string): Promise<PerToken<bigint>> | null {
    return this.#arrivals.isWatched(address) ? null : this.#arrivals.watch(address);
  }

  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#arrivals.onForeignTransaction(observer);
  }

  catchUp(): Promise<boolean> {
    return this.#arrivals.poll();
  }

  async #submit(
    { bytes, signature, blockhash }: WireTransaction,
    { skipPreflight }: { skipPreflight: boolean },
  ): Promise<Submission> {
    const height = this.#heights.get(blockhash) ?? (await this.latestBlockhash()).lastValidBlockHeight;
    const options = { encoding: 'base64', preflightCommitment: 'confirmed', skipPreflight };
    this.#open.set(signature, height);
    try {
      const text = Buffer.from(bytes).toString('base64');
      await this.#node.send('sendTransaction', [text, options], z.string());
    } catch (error) {
      if (error instanceof RpcError) {
        const trial = error.code === PREFLIGHT_FAILURE ? preflightError(error.data) : null;
        // A blockhash that the node rejects is not used again.
        if (trial?.error === 'BlockhashNotFound') this.#cachedHash = null;
        const isRejected =
          trial === null ? NEVER_SENT.includes(error.code) : trial.error !== 'AlreadyProcessed';
        if (isRejected && (await this.#isUnknown(signature))) {
          this.#open.delete(signature);
          if (trial === null) throw error;
          return refused(trial.error, trial.logs);
        }
      } else if (!asUnreachable(error).mayHaveArrived) {
        this.#open.delete(signature);
        throw error;
      }
    }
    return this.#follow(signature, height);
  }

  /** Waits for the outcome of a sent transaction. Throws OutcomeUnknown. */
  async #follow(signature: string, height: number): Promise<Submission> {
    const startMs = this.#wallMs();
    let failures = 0;
    let reason = 'the cluster has not confirmed it in time';
    for (let polls = 0; this.#wallMs() - startMs < PATIENCE_MS; polls += 1) {
      try {
        const outcome = await this.#outcome(signature, height);
        if (outcome !== null) {
          this.#open.delete(signature);
          return outcome;
        }
        failures = 0;
      } catch (error) {
        reason = asUnreachable(error).message;
        failures += 1;
        if (failures >= FAILURES) break;
      }
      await pause(PAUSES_MS[Math.min(polls, PAUSES_MS.length - 1)] as number);
    }
    throw new OutcomeUnknown(signature, reason);
  }

  /** The outcome of a transaction; null while it may still run or is not confirmed. */
  async #outcome(signature: string, height: number): Promise<Submission | null> {
    let { status } = await this.#status(signature);
    if (status === null) {
      const params = [{ commitment: 'confirmed' }];
      const now = await this.#node.read('getEpochInfo', params, epochAnswer);
      if (now.blockHeight <= height) return null;
      // Its blockhash has expired; the status is read once more, since it may have run between the two reads. Behind one
      // address may be several nodes: only one that has come as far proves that it did not run.
      const last = await this.#status(signature);
      if (last.status === null) return last.slot < now.absoluteSlot ? null : refused('BlockhashNotFound');
      ({ status } = last);
    }
    if (status === 'processed') return null;
    const record = await this.#reader.transaction(signature);
    return record === null ? null : { kind: 'processed', record };
  }

  /** Whether the node responds that it does not know a transaction. */
  async #isUnknown(signature: string): Promise<boolean> {
    try {
      return (await this.#status(signature)).status === null;
    } catch (error) {
      asUnreachable(error);
      return false;
    }
  }

  /** The status of a transaction, null when the node does not know it, and the node's slot. */
  async #status(
    signature: string,
  ): Promise<{ slot: number; status: 'processed' | 'confirmed' | 'finalized' | null }> {
    const params = [[signature], { searchTransactionHistory: true }];
    const { context, value } = await this.#node.read('getSignatureStatuses', params, statusesAnswer);
    const found = value[0] ?? null;
    return { slot: context.slot, status: found === null ? null : (found.confirmationStatus ?? 'processed') };
  }
}
