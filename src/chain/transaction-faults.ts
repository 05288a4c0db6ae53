import { OrderedMap } from 'immutable';
import type { RequestContext, SubmitFault } from '../core/domain/request-context.js';
import { ChainUnreachable, OutcomeUnknown } from './backend.js';
import { BLOCKHASH_LIFETIME_BLOCKS } from './blockhashes.js';
import type { Chain } from './chain.js';
import type { TransactionRecord } from './history.js';
import { type Submission, type SubmitOptions, refused } from './submission.js';
import { type WireTransaction, parseTransaction } from './solana/wire.js';

export type InjectedTransaction =
  /** It never arrives; from `deadSlot` on its blockhash has expired. */
  | { readonly kind: 'lost'; readonly deadSlot: number }
  /** It arrives at an instant of simulated time. */
  | {
      readonly kind: 'delayed';
      readonly atMs: number;
      readonly bytes: Uint8Array;
      /** Whether it is a transaction of the bank. */
      readonly own: boolean;
      readonly deadSlot: number;
      readonly cause: RequestContext;
    }
  /** It has run, and is reported as confirmed from a simulated instant on. */
  | { readonly kind: 'held'; readonly untilMs: number };

/** Affected transactions by signature, as a value. Those due at one instant arrive in the order of sending. */
export type TransactionFaultsSnapshot = OrderedMap<string, InjectedTransaction>;

/** The late arrival, confirmation or expiry of a transaction. */
export interface Arrival {
  readonly kind: 'transaction.arrived' | 'transaction.confirmed' | 'transaction.expired';
  readonly signature: string;
}

const UNREACHABLE = 'a fault makes the chain unreachable';

/** The result of an unsent transaction. Throws ChainUnreachable. */
function notSent({ kind }: SubmitFault & { kind: 'unavailable' | 'expire' }): Submission {
  if (kind === 'unavailable') throw new ChainUnreachable(UNREACHABLE, false);
  return refused('BlockhashNotFound');
}

/** Loses, delays or late-confirms transactions according to faults. Transactions without a fault bypass it. */
export class TransactionFaultInjector {
  readonly #chain: Chain;
  #injected: TransactionFaultsSnapshot = OrderedMap();
  readonly #released = new Set<(record: TransactionRecord) => void>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Whether a transaction has run but is not reported as confirmed yet. */
  isHeld(signature: string): boolean {
    return this.#injected.get(signature)?.kind === 'held';
  }

  /** Delays a transaction's confirmation by milliseconds of simulated time. */
  hold(signature: string, ms: number): void {
    if (!this.isHeld(signature)) this.#set(signature, { kind: 'held', untilMs: this.#chain.nowMs() + ms });
  }

  /** Registers a listener for late confirmations; returns the function that removes it. */
  onReleased(listener: (record: TransactionRecord) => void): () => void {
    this.#released.add(listener);
    return () => this.#released.delete(listener);
  }

  /** Submits a transaction of the bank, subject to faults. Throws OutcomeUnknown and ChainUnreachable as a cluster would. */
  async submitOwn(wire: WireTransaction, options: SubmitOptions): Promise<Submission> {
    const trouble = options.cause?.trouble ?? null;
    if (trouble === null) return this.#chain.submitOwn(wire, options);
    const { submit, confirm } = trouble;
    const { signature } = wire;
    if (submit !== null) {
      trouble.onFired('submit');
      if (submit.kind === 'drop') {
        this.#set(signature, { kind: 'lost', deadSlot: this.#deadSlot() });
        throw new OutcomeUnknown(signature, 'a fault dropped the transaction');
      }
      if (submit.kind === 'delay') {
        this.#delay(wire, submit.ms, true, options.cause);
        throw new OutcomeUnknown(signature, `a fault delays the transaction by ${submit.ms} ms`);
      }
      return notSent(submit);
    }
    const submission = await this.#chain.submitOwn(wire, options);
    if (submission.kind === 'refused' || confirm === null) return submission;
    trouble.onFired('confirm');
    if (confirm.kind === 'delay') this.hold(signature, confirm.ms);
    throw new OutcomeUnknown(signature, 'a fault hides the outcome');
  }

  /** Submits an external transaction, subject to faults; null when its outcome is unknown. Throws ChainUnreachable. */
  async submit(wire: WireTransaction, options: SubmitOptions): Promise<Submission | null> {
    const { submit = null, confirm = null, onFired } = options.cause?.trouble ?? {};
    if (submit !== null) {
      const isSent = submit.kind === 'drop' || submit.kind === 'delay';
      const refusal = isSent && options.skipPreflight !== true ? await this.#chain.refusalOf(wire) : null;
      if (refusal !== null) return refusal;
      onFired?.('submit');
      if (!isSent) return notSent(submit);
      if (submit.kind === 'delay') this.#delay(wire, submit.ms, false, options.cause);
      return null;
    }
    if (confirm?.kind === 'delay') this.hold(wire.signature, confirm.ms);
    const submission = await this.#chain.submitWire(wire, options);
    if (submission.kind === 'refused') this.#injected = this.#injected.delete(wire.signature);
    else if (confirm?.kind === 'delay') onFired?.('confirm');
    return submission;
  }

  /** The outcome of a transaction of the bank; null while it is unknown. */
  outcomeOf(signature: string): Submission | null {
    const injected = this.#injected.get(signature);
    const record = this.#chain.transaction(signature);
    if (injected === undefined) {
      return record === null ? refused('BlockhashNotFound') : { kind: 'processed', record };
    }
    if (injected.kind === 'lost' && this.#chain.slot() >= injected.deadSlot) {
      this.#injected = this.#injected.delete(signature);
      return refused('BlockhashNotFound');
    }
    return null;
  }

  /** The instant of the next arrival or late confirmation; infinite when none is pending. */
  nextMs(): number {
    let next = Infinity;
    for (const injected of this.#injected.values()) {
      if (injected.kind === 'delayed') next = Math.min(next, injected.atMs);
      if (injected.kind === 'held') next = Math.min(next, injected.untilMs);
    }
    return next;
  }

  /** Processes all arrivals and confirmations that are due. */
  async arrive(nowMs: number): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    for (const [signature, injected] of this.#injected) {
      if (injected.kind === 'held' && injected.untilMs <= nowMs) {
        this.#injected = this.#injected.delete(signature);
        const record = this.#chain.transaction(signature);
        if (record !== null) for (const listener of this.#released) listener(record);
        arrivals.push({ kind: 'transaction.confirmed', signature });
      }
      if (injected.kind === 'delayed' && injected.atMs <= nowMs) {
        const hasRun = await this.#run(injected);
        this.#injected = this.#injected.delete(signature);
        arrivals.push({ kind: hasRun ? 'transaction.arrived' : 'transaction.expired', signature });
      }
    }
    return arrivals;
  }

  snapshot(): TransactionFaultsSnapshot {
    return this.#injected;
  }

  restore(snapshot: TransactionFaultsSnapshot): void {
    this.#injected = snapshot;
  }

  async #run({ bytes, own, deadSlot, cause }: InjectedTransaction & { kind: 'delayed' }): Promise<boolean> {
    const wire = parseTransaction(bytes);
    if (!own) {
      return (await this.#chain.submitWire(wire, { skipPreflight: true, cause })).kind === 'processed';
    }
    if (this.#chain.slot() >= deadSlot) return false;
    return (await this.#chain.submitOwn(wire, { cause })).kind === 'processed';
  }

  #delay(wire: WireTransaction, ms: number, own: boolean, cause: RequestContext | undefined): void {
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
    this.#injected = this.#injected.set(signature, injected);
  }

  #deadSlot(): number {
    return this.#chain.slot() + BLOCKHASH_LIFETIME_BLOCKS + 1;
  }
}
