import { DAY_MS, isoOf, startOfUtcDay } from '../core/domain/calendar.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { dueItems } from '../core/domain/due.js';
import { asUnreachable } from '../chain/backend.js';
import { LAMPORTS_PER_SIGNATURE } from '../chain/fees.js';
import { TOKENS, type Token, least } from '../core/domain/money.js';
import { postOutflow, voidOutflow } from '../core/domain/operations/settle-outflow.js';
import { settleSavings, settlementDue } from '../core/domain/operations/settle-savings.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { type Outflow, outflowOf } from '../core/domain/state.js';
import type { BankAddresses } from './addresses.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';
import type { ChainReconciler } from './chain-reconciler.js';
import { Collections } from './collections.js';
import { UnconfirmedTransfers } from './unconfirmed-transfers.js';
import { type KnownOutcome, type Transfers, costOf } from './transfers.js';
import type { UnconfirmedTransfer } from './in-flight-work.js';

/** Lamports that the treasury retains for fees and rent. */
const RESERVE_LAMPORTS = 1_000_000_000n;

/** The fees of recalling savings of both tokens: each transfer has two signatures. */
const RECALL_LAMPORTS = 4n * LAMPORTS_PER_SIGNATURE;

/** The second phase of all on-chain movements of money: submit, then post or void. */
export class Settlement {
  /** Sent transfers with unknown outcome. */
  readonly late: UnconfirmedTransfers;
  readonly collections: Collections;
  readonly #books: Books;
  readonly #transfers: Transfers;
  readonly #addresses: BankAddresses;
  readonly #world: BankWorld;

  readonly #reconciler: ChainReconciler;
  #supplying: Promise<unknown> = Promise.resolve();

  constructor(parts: {
    books: Books;
    transfers: Transfers;
    addresses: BankAddresses;
    reconciler: ChainReconciler;
    world: BankWorld;
  }) {
    this.late = new UnconfirmedTransfers(parts.transfers, {
      prepare: ({ purpose }) =>
        purpose.kind === 'outflow' ? this.#opening(outflowOf(this.#books.state, purpose.outflow)) : null,
      finish: (late, outcome) => this.#finishLate(late, outcome),
    });
    this.collections = new Collections({ ...parts, late: this.late });
    this.#reconciler = parts.reconciler;
    this.#books = parts.books;
    this.#transfers = parts.transfers;
    this.#addresses = parts.addresses;
    this.#world = parts.world;
  }

  /**
   * Executes a reserved outflow. Refuses, with the money back in checking: `transaction_failed` when the chain rejected
   * the transfer, `chain_unavailable` when the treasury could not be funded or the chain could not be reached. Returns
   * a pending outflow when the transfer was sent and its outcome is unknown.
   */
  async carryOut(id: number, cause: RequestContext = NO_REQUEST): Promise<Result<Outflow>> {
    const outflow = outflowOf(this.#books.state, id);
    const isInside = this.#books.state.collections.has(outflow.terms.payTo);
    const ready = isInside ? this.#reconciler.ready(outflow.terms.payTo) : null;
    const giveUp = (reason: string) => {
      this.#void(outflow, { reason, costLamports: 0n }, cause);
      return refuse('chain_unavailable', { reason });
    };
    if (ready !== null) {
      const failure = await ready.then(() => null, asUnreachable);
      if (failure !== null) return giveUp(failure.message);
    }
    const { treasury } = this.#addresses;
    const { payTo, token, amountBase } = outflow.terms;
    const refusal = await this.#supply(token, () => giveUp('the treasury is short of funds'), cause);
    if (refusal !== null) return refusal;
    const sent = await this.#transfers.send({
      from: treasury,
      to: payTo,
      token,
      amountBase,
      purpose: { kind: 'outflow', outflow: id },
      cause,
    });
    if (sent.outcome === null) {
      this.late.add(sent);
      return ok(outflow);
    }
    // The recipient may have become a customer meanwhile.
    const opening = isInside ? null : this.#opening(outflow);
    if (opening !== null) await opening;
    return this.#finish(outflow, sent.outcome, cause);
  }

  /** Resolves when the destination of an outflow is watched or the chain unreachable; null when there is no need. */
  #opening({ terms: { payTo } }: Outflow): Promise<unknown> | null {
    return this.#books.state.collections.has(payTo)
      ? (this.#reconciler.ready(payTo)?.catch(asUnreachable) ?? null)
      : null;
  }

  /** Whether this is a transaction of the bank that is not on the books yet. */
  isUnderWay(signature: string): boolean {
    return this.#transfers.isUnderWay(signature) || this.late.has(signature);
  }

  /** The transactions of the bank that may have run and are not on the books yet. */
  unbooked(): string[] {
    return [...this.#transfers.underWay().map(([signature]) => signature), ...this.late.signatures()];
  }

  #finish(outflow: Outflow, outcome: KnownOutcome, cause: RequestContext): Result<Outflow> {
    if (outcome.signature !== null) this.#transfers.booked(outcome.signature);
    if (outcome.kind === 'failed') {
      const { payTo } = outflow.terms;
      this.#void(outflow, outcome, cause);
      if (outcome.cause === 'chain') return refuse('chain_unavailable', { reason: outcome.reason });
      return refuse(
        'transaction_failed',
        { chain_error: outcome.reason, destination: payTo, at: isoOf(this.#world.nowMs()) },
        `The chain rejected the transfer: ${outcome.reason}; the amount is back in checking.`,
      );
    }
    const isInOpening = this.#reconciler.isInOpening(outcome, outflow.terms.payTo);
    const entry = postOutflow(this.#books.state, outflow, { ...outcome, isInOpening });
    this.#books.append(entry, this.#world.nowMs(), cause);
    return ok(outflowOf(this.#books.state, outflow.id));
  }

  #finishLate(late: UnconfirmedTransfer, outcome: KnownOutcome): void {
    const { purpose, cause } = late;
    switch (purpose.kind) {
      case 'outflow':
        this.#finish(outflowOf(this.#books.state, purpose.outflow), outcome, cause);
        return;
      case 'savings': {
        const isDone = outcome.kind === 'done';
        const { token, amountBase } = purpose;
        const moved = { USDC: 0n, SOL: 0n, [token]: isDone ? amountBase : 0n };
        const costLamports = costOf(token, amountBase, outcome);
        const settled = settleSavings(isDone ? outcome.signature : null, moved, costLamports);
        this.#books.append(settled, this.#world.nowMs(), cause);
        return;
      }
      case 'account':
      case 'sweep':
        this.collections.finish(late, outcome);
    }
  }

  /** Moves savings to the lending protocol, or back, in one transfer per token. */
  settleSavings(cause: RequestContext = NO_REQUEST): Promise<void> {
    return this.#inTurn(() => this.#settleSavings(cause));
  }

  /** Runs work that supplies the treasury one at a time: two would move the same money twice. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#supplying.then(work);
    this.#supplying = done.catch(() => undefined);
    return done;
  }

  async #settleSavings(cause: RequestContext, recalled?: Token): Promise<void> {
    const due = settlementDue(this.#books.state);
    const moved = { USDC: 0n, SOL: 0n };
    let signature: string | null = null;
    let costLamports = 0n;
    const { treasury, protocol } = this.#addresses;
    for (const token of TOKENS) {
      const amount = this.#settleable(token, due[token], token === recalled);
      const purpose = { kind: 'savings', token, amountBase: amount } as const;
      if (amount === 0n || this.late.isWaiting(purpose)) continue;
      const sent = await this.#transfers.send(
        amount > 0n
          ? { from: treasury, to: protocol.address, token, amountBase: amount, purpose, cause }
          : { from: protocol, to: treasury.address, token, amountBase: -amount, purpose, cause },
      );
      const { outcome } = sent;
      if (outcome === null) {
        this.late.add(sent);
        continue;
      }
      costLamports += costOf(token, amount, outcome);
      if (outcome.kind === 'failed') continue;
      moved[token] = amount;
      signature = outcome.signature;
    }
    this.#books.append(settleSavings(signature, moved, costLamports), this.#world.nowMs(), cause);
    this.#transfers.savingsAreBooked();
    const { state } = this.#books;
    const rest = settlementDue(state);
    if (TOKENS.every((token) => rest[token] <= 0n)) return;
    if (dueItems(state.due).some(({ task }) => task.kind === 'savings.settle')) return;
    // The treasury may be able to pay tomorrow what it could not pay now.
    const atMs = startOfUtcDay(this.#world.nowMs()) + DAY_MS;
    this.#books.dueAgain([{ atMs, seq: state.seq, task: { kind: 'savings.settle' } }]);
  }

  /**
   * Completes the work of another process: queries the outcome of transfers in flight and moves the rest of a
   * settlement of savings. Returns the amount of every outflow that was reserved for a response and never sent. Queued
   * outflows are sent when due, and unknown outcomes stay pending.
   */
  async resume(transfers: readonly (readonly [string, UnconfirmedTransfer])[]): Promise<void> {
    for (const [signature, late] of transfers) {
      const outcome = await this.#transfers.outcomeOf(signature, late);
      if (outcome === null) this.late.add({ signature, booking: late });
      // A transfer unknown to the chain was never sent.
      else if (outcome.kind === 'done' || outcome.cause === 'transfer') this.#finishLate(late, outcome);
    }
    if (this.late.size > 0) await this.late.askAgain();
    // With two tokens, one transfer may have been sent and the other not.
    if (transfers.some(([, { purpose }]) => purpose.kind === 'savings')) await this.settleSavings();
    const queued = new Set<number>();
    for (const { task } of dueItems(this.#books.state.due))
      if (task.kind === 'withdrawal.execute') queued.add(task.outflow);
    const reason = 'the bank was stopped before it had sent the payment';
    for (const id of [...this.#books.state.openOutflows.keys()].toSorted((a, b) => a - b)) {
      if (queued.has(id) || this.late.isWaiting({ kind: 'outflow', outflow: id })) continue;
      this.#void(outflowOf(this.#books.state, id), { reason, costLamports: 0n }, NO_REQUEST);
    }
  }

  // What is due, as far as the treasury can spend it. What it lacks for outflows is recalled, with the fees of that.
  #settleable(token: Token, due: bigint, isRecalled: boolean): bigint {
    const free = this.#free(token);
    if (free >= 0n || !isRecalled) return least(due, free > 0n ? free : 0n);
    const { totals } = this.#books.state;
    // Without the yield that agents have not withdrawn.
    const placed = totals.protocol[token] + totals.yield[token];
    const lacking = (token === 'SOL' ? RECALL_LAMPORTS : 0n) - free;
    return least(due, placed > 0n ? -least(lacking, placed) : 0n);
  }

  // What the treasury can spend: less what other outflows have reserved, less a reserve of lamports.
  #free(token: Token): bigint {
    const { totals } = this.#books.state;
    return totals.treasury[token] + totals.pending[token] - (token === 'SOL' ? RESERVE_LAMPORTS : 0n);
  }

  // The amount to be sent is already reserved, so the treasury is short when the free amount is negative.
  async #supply<T>(token: Token, giveUp: () => T, cause: RequestContext): Promise<T | null> {
    const short = () => this.#free(token) < 0n;
    if (!short()) return null;
    return this.#inTurn(async () => {
      if (short()) await this.#settleSavings(cause, token);
      if (short()) await this.collections.sweep(token, short, cause);
      // The next one may have what this one gives up.
      return short() ? giveUp() : null;
    });
  }

  #void(outflow: Outflow, why: { reason: string; costLamports: bigint }, cause: RequestContext): void {
    this.#books.append(voidOutflow(outflow, why.reason, why.costLamports), this.#world.nowMs(), cause);
  }
}
