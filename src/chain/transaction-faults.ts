import { OrderedMap } from 'immutable';
import type { RequestContext, SubmitFault } from '../core/domain/request-context.js';
import { ChainUnreachable, OutcomeUnknown } from './backend.js';
import { BLOCKHASH_LIFETIME_SLOTS } from './blockhashes.js';
import type { Chain } from './chain.js';
import type { TransactionRecord } from './history.js';
import { type SubmitPolicy, type Submission, type SubmitOptions, refused } from './submission.js';
import { type WireTransaction, parseTransaction } from './wire.js';

/** What has become of a transaction that something went wrong with. */
export type InjectedTransaction =
  /** It never arrives; from a slot on nobody can run it any more. */
  | { readonly kind: 'lost'; readonly deadSlot: number }
  /** It arrives at an instant of the world. */
  | {
      readonly kind: 'delayed';
      readonly atMs: number;
      readonly bytes: Uint8Array;
      /** Of the bank's own transactions: what is known of them. Null for others. */
      readonly own: SubmitPolicy | null;
      readonly deadSlot: number;
      readonly cause: RequestContext;
    }
  /** It has run, and is told as confirmed from an instant of the world on. */
  | { readonly kind: 'held'; readonly untilMs: number };

/** The fates of transactions by signature, as a value. Those of one instant arrive in the order in which they were sent. */
export type TransactionFaultsSnapshot = OrderedMap<string, InjectedTransaction>;

/** A transaction that arrived or was confirmed late. */
export interface Arrival {
  readonly kind: 'transaction.arrived' | 'transaction.confirmed' | 'transaction.expired';
  readonly signature: string;
}

const UNREACHABLE = 'a fault keeps the chain from being reached';

/** The answer to a transaction that does not even set out. Throws ChainUnreachable. */
function turnedAway({ kind }: SubmitFault & { kind: 'unavailable' | 'expire' }): Submission {
  if (kind === 'unavailable') throw new ChainUnreachable(UNREACHABLE, false);
  return refused('BlockhashNotFound');
}

/** Transactions that are lost, delayed or confirmed late, because a fault says so. Without a fault nothing passes here. */
export class TransactionFaultInjector {
  readonly #chain: Chain;
  #fates: TransactionFaultsSnapshot = OrderedMap();
  readonly #released = new Set<(record: TransactionRecord) => void>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Whether a transaction has run and is not to be told as confirmed yet. */
  isHeld(signature: string): boolean {
    return this.#fates.get(signature)?.kind === 'held';
  }

  /** Keeps a transaction from being told as confirmed for so many milliseconds of the world's time. */
  hold(signature: string, ms: number): void {
    if (!this.isHeld(signature)) this.#set(signature, { kind: 'held', untilMs: this.#chain.nowMs() + ms });
  }

  /** Tells a listener of each transaction that is confirmed late, until the function that it gives is called. */
  onReleased(listener: (record: TransactionRecord) => void): () => void {
    this.#released.add(listener);
    return () => this.#released.delete(listener);
  }

  /** Runs a transaction of the bank, or not. Throws OutcomeUnknown and ChainUnreachable as a cluster would. */
  async submitOwn(wire: WireTransaction, own: SubmitPolicy): Promise<Submission> {
    const trouble = own.cause?.trouble ?? null;
    if (trouble === null) return this.#chain.submitOwn(wire, own);
    const { submit, confirm } = trouble;
    const { signature } = wire;
    if (submit !== null) {
      if (submit.kind === 'drop') {
        this.#set(signature, { kind: 'lost', deadSlot: this.#deadSlot() });
        throw new OutcomeUnknown(signature, 'a fault lost the transaction on its way');
      }
      if (submit.kind === 'delay') {
        this.#delay(wire, submit.ms, { changes: own.changes }, own.cause);
        throw new OutcomeUnknown(signature, `a fault delays the transaction by ${submit.ms} ms`);
      }
      return turnedAway(submit);
    }
    const submission = await this.#chain.submitOwn(wire, own);
    if (submission.kind === 'refused' || confirm === null) return submission;
    if (confirm.kind === 'delay') this.hold(signature, confirm.ms);
    throw new OutcomeUnknown(signature, 'a fault keeps the chain from telling what became of it');
  }

  /**
   * Runs a transaction of somebody else, or not; null when it was taken and nobody knows what will become of it. Throws
   * ChainUnreachable.
   */
  async submit(wire: WireTransaction, options: SubmitOptions): Promise<Submission | null> {
    const { submit = null, confirm = null } = options.cause?.trouble ?? {};
    if (submit !== null) {
      if (submit.kind !== 'drop' && submit.kind !== 'delay') return turnedAway(submit);
      const refusal = options.skipPreflight === true ? null : await this.#refusal(wire);
      if (refusal === null && submit.kind === 'delay') this.#delay(wire, submit.ms, null, options.cause);
      return refusal;
    }
    if (confirm?.kind === 'delay') this.hold(wire.signature, confirm.ms);
    const submission = await this.#chain.submitWire(wire, options);
    if (submission.kind === 'refused') this.#fates = this.#fates.delete(wire.signature);
    return submission;
  }

  /** What became of a transaction of the bank; null while that cannot be told. */
  outcomeOf(signature: string): Submission | null {
    const injected = this.#fates.get(signature);
    const record = this.#chain.transaction(signature);
    if (injected === undefined) {
      return record === null ? refused('BlockhashNotFound') : { kind: 'processed', record };
    }
    if (injected.kind === 'lost' && this.#chain.slot() >= injected.deadSlot) {
      this.#fates = this.#fates.delete(signature);
      return refused('BlockhashNotFound');
    }
    return null;
  }

  /** The instant of the next arrival or late confirmation; infinite when there is none. */
  nextMs(): number {
    let next = Infinity;
    for (const injected of this.#fates.values()) {
      if (injected.kind === 'delayed') next = Math.min(next, injected.atMs);
      if (injected.kind === 'held') next = Math.min(next, injected.untilMs);
    }
    return next;
  }

  /** Lets everything arrive and be confirmed whose time has come. */
  async arrive(nowMs: number): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    for (const [signature, injected] of this.#fates) {
      if (injected.kind === 'held' && injected.untilMs <= nowMs) {
        this.#fates = this.#fates.delete(signature);
        const record = this.#chain.transaction(signature);
        if (record !== null) for (const listener of this.#released) listener(record);
        arrivals.push({ kind: 'transaction.confirmed', signature });
      }
      if (injected.kind === 'delayed' && injected.atMs <= nowMs) {
        this.#fates = this.#fates.delete(signature);
        const hasRun = await this.#run(injected);
        arrivals.push({ kind: hasRun ? 'transaction.arrived' : 'transaction.expired', signature });
      }
    }
    return arrivals;
  }

  snapshot(): TransactionFaultsSnapshot {
    return this.#fates;
  }

  restore(snapshot: TransactionFaultsSnapshot): void {
    this.#fates = snapshot;
  }

  async #run({ bytes, own, deadSlot, cause }: InjectedTransaction & { kind: 'delayed' }): Promise<boolean> {
    const wire = parseTransaction(bytes);
    if (own === null) {
      return (await this.#chain.submitWire(wire, { skipPreflight: true, cause })).kind === 'processed';
    }
    if (this.#chain.slot() >= deadSlot) return false;
    return (await this.#chain.submitOwn(wire, { ...own, cause })).kind === 'processed';
  }

  /** Why the chain would not take a transaction; null when it would. */
  async #refusal(wire: WireTransaction): Promise<Submission | null> {
    if (!this.#chain.verify(wire)) return refused('SignatureFailure');
    const { execution } = await this.#chain.simulate(wire);
    return execution.error === null ? null : refused(execution.error, execution.logs, execution);
  }

  #delay(
    wire: WireTransaction,
    ms: number,
    own: SubmitPolicy | null,
    cause: RequestContext | undefined,
  ): void {
    this.#set(wire.signature, {
      kind: 'delayed',
      atMs: this.#chain.nowMs() + ms,
      bytes: wire.bytes,
      own,
      deadSlot: this.#deadSlot(),
      cause: { requestId: cause?.requestId ?? null, trouble: null },
    });
  }

  #set(signature: string, injected: InjectedTransaction): void {
    this.#fates = this.#fates.set(signature, injected);
  }

  #deadSlot(): number {
    return this.#chain.slot() + BLOCKHASH_LIFETIME_SLOTS + 1;
  }
}
