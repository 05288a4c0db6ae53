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

/**
 * Affected transactions by signature, as a value; those due at one instant arrive in the order of sending. An entry named by `lookUpOf` and
 * held forever says that a look-up has met its delay.
 */
export type TransactionFaultsSnapshot = OrderedMap<string, InjectedTransaction>;

/** The late arrival, confirmation or expiry of a transaction. */
export interface Arrival {
  readonly kind: 'transaction.arrived' | 'transaction.confirmed' | 'transaction.expired';
  readonly signature: string;
}

/** What happens next, to transactions by signature. */
interface DueTransactions {
  /** Infinite when nothing will happen. */
  readonly atMs: number;
  readonly due: readonly (readonly [signature: string, injected: InjectedTransaction])[];
}

/** After the clock's last instant. */
const NEVER_MS = Number.MAX_SAFE_INTEGER;

/** Look-ups that are remembered; an older one meets its delay again. */
const MOST_LOOK_UPS = 1_000;

const lookUpOf = (signature: string) => `look-up of ${signature}`;

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

  /** Delays the confirmation of a transaction that is looked up by milliseconds of simulated time, once; returns whether it is held. */
  holdLookedUp(signature: string, ms: number): boolean {
    if (!this.#injected.has(lookUpOf(signature)) && this.#hold(signature, ms)) {
      this.#set(lookUpOf(signature), { kind: 'held', untilMs: NEVER_MS });
      const lookUps = this.#injected.filter((injected) => this.#dueMs(injected) === NEVER_MS);
      if (lookUps.size > MOST_LOOK_UPS) this.#set(lookUps.keySeq().first() as string, undefined);
    }
    return this.isHeld(signature);
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
    if (confirm.kind === 'delay') this.#hold(signature, confirm.ms);
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
    const { signature } = wire;
    const earlier = this.#injected.get(signature);
    // Before it runs, since subscribers are notified of it at once.
    const isHeldNow = confirm?.kind === 'delay' && this.#hold(signature, confirm.ms);
    const submission = await this.#chain.submitWire(wire, options);
    if (submission.kind === 'refused') {
      if (isHeldNow) this.#set(signature, earlier);
    } else if (confirm?.kind === 'delay') onFired?.('confirm');
    return submission;
  }

  /** The outcome of a transaction of the bank; null while it is unknown. */
  outcomeOf(signature: string): Submission | null {
    if (this.#injected.has(signature)) return null;
    const record = this.#chain.transaction(signature);
    return record === null ? refused('BlockhashNotFound') : { kind: 'processed', record };
  }

  /** The next arrivals, late confirmations, and expiries of lost transactions. */
  next(): DueTransactions {
    let atMs = Infinity;
    let due: [string, InjectedTransaction][] = [];
    for (const [signature, injected] of this.#injected) {
      const dueMs = this.#dueMs(injected);
      if (dueMs === NEVER_MS) continue;
      if (dueMs < atMs) due = [];
      if (dueMs <= atMs) due.push([signature, injected]);
      atMs = Math.min(atMs, dueMs);
    }
    return { atMs, due };
  }

  /** Processes what `next` has returned, once the clock is there. */
  async arrive({ atMs, due }: DueTransactions): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    for (const [signature, injected] of due) {
      // A call may have sent it again meanwhile.
      if (this.#injected.get(signature) !== injected) continue;
      if (injected.kind === 'held') {
        this.#set(signature, undefined);
        const record = this.#chain.transaction(signature);
        if (record !== null) for (const listener of this.#released) listener(record);
        arrivals.push({ kind: 'transaction.confirmed', signature });
      } else if (injected.kind === 'delayed') {
        const hasRun = await this.#run(injected, atMs);
        this.#set(signature, undefined);
        arrivals.push({ kind: hasRun ? 'transaction.arrived' : 'transaction.expired', signature });
      } else {
        // Lost: its outcome is known from now on.
        this.#set(signature, undefined);
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

  /** The instant at which something happens to a transaction. */
  #dueMs(injected: InjectedTransaction): number {
    switch (injected.kind) {
      case 'lost':
        return this.#chain.slotBeginsMs(injected.deadSlot);
      case 'delayed':
        return injected.atMs;
      case 'held':
        return injected.untilMs;
    }
  }

  /** Runs a delayed transaction that arrived at an instant, unless its blockhash had expired by then. */
  async #run(
    { bytes, own, deadSlot, cause }: InjectedTransaction & { kind: 'delayed' },
    atMs: number,
  ): Promise<boolean> {
    const wire = parseTransaction(bytes);
    const atSlot = this.#chain.slotAtInstant(atMs);
    if (!own) {
      return (
        (await this.#chain.submitWire(wire, { skipPreflight: true, cause, atSlot })).kind === 'processed'
      );
    }
    if (atSlot >= deadSlot) return false;
    return (await this.#chain.submitOwn(wire, { cause })).kind === 'processed';
  }

  /** Delays the confirmation of a transaction; returns false for one that is held already. */
  #hold(signature: string, ms: number): boolean {
    if (this.isHeld(signature)) return false;
    this.#set(signature, { kind: 'held', untilMs: this.#chain.nowMs() + ms });
    return true;
  }

  /** Delays the arrival of a transaction, unless it has run or an earlier copy of it is on its way. */
  #delay(wire: WireTransaction, ms: number, own: boolean, cause: RequestContext | undefined): void {
    const { signature } = wire;
    if (this.#injected.has(signature) || this.#chain.transaction(signature) !== null) return;
    this.#set(signature, {
      kind: 'delayed',
      atMs: this.#chain.nowMs() + ms,
      bytes: wire.bytes,
      own,
      deadSlot: this.#deadSlot(),
      cause: { requestId: cause?.requestId ?? null, trouble: null },
    });
  }

  #set(signature: string, injected: InjectedTransaction | undefined): void {
    this.#injected =
      injected === undefined ? this.#injected.delete(signature) : this.#injected.set(signature, injected);
  }

  #deadSlot(): number {
    return this.#chain.slot() + BLOCKHASH_LIFETIME_BLOCKS + 1;
  }
}
