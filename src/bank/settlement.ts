import { isoOf } from '../domain/calendar.js';
import { ChainUnreachable } from '../chain/bank-chain.js';
import { TOKENS, type Token, type PerToken } from '../domain/money.js';
import { payCosts, sweepCollection } from '../domain/operations/pay-costs.js';
import { postOutflow, voidOutflow } from '../domain/operations/settle-outflow.js';
import { settleSavings, settlementDue } from '../domain/operations/settle-savings.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Outflow } from '../domain/state.js';
import type { BankAddresses } from './addresses.js';
import type { Books } from './books.js';
import type { ChainWatch } from './chain-watch.js';
import { LateTransfers } from './late-transfers.js';
import type { KnownOutcome, Transfers } from './transfers.js';

/** Lamports that the treasury keeps for fees and rent. */
const RESERVE_LAMPORTS = 1_000_000_000n;

// Lamports that came into the treasury lower what it lost; they are the amount, not a cost.
function costOf(token: Token, paid: bigint, outcome: KnownOutcome): bigint {
  const isIncoming = outcome.kind === 'done' && token === 'SOL' && paid < 0n;
  return isIncoming ? outcome.costLamports - paid : outcome.costLamports;
}

function reachError(error: unknown): ChainUnreachable {
  if (error instanceof ChainUnreachable) return error;
  throw error;
}

/** The second phase of everything that moves money on chain: submit, then post or void. */
export class Settlement {
  /** What was sent while the chain could not say what became of it. */
  readonly late: LateTransfers;
  readonly #books: Books;
  readonly #transfers: Transfers;
  readonly #addresses: BankAddresses;
  readonly #nowMs: () => number;

  readonly #watch: ChainWatch;

  constructor(parts: {
    books: Books;
    transfers: Transfers;
    addresses: BankAddresses;
    watch: ChainWatch;
    nowMs: () => number;
  }) {
    this.late = new LateTransfers(parts.transfers);
    this.#watch = parts.watch;
    this.#books = parts.books;
    this.#transfers = parts.transfers;
    this.#addresses = parts.addresses;
    this.#nowMs = parts.nowMs;
  }

  /**
   * Carries a reserved outflow out. Refuses, with the money back in checking: `transaction_failed` when the chain turned the
   * transfer down, `chain_unavailable` when the treasury could not be supplied or the chain not be reached. Gives an outflow
   * that is pending still when it was sent and the chain does not say what became of it. `onSubmitted` hears the signature early.
   */
  async carryOut(id: number, onSubmitted?: (signature: string) => void): Promise<Result<Outflow>> {
    const outflow = this.#outflow(id);
    const isInside = this.#books.state.collections.has(outflow.terms.payTo);
    const ready = isInside ? this.#watch.ready(outflow.terms.payTo) : null;
    if (ready !== null) {
      const obstacle = await ready.then(() => null, reachError);
      if (obstacle !== null) {
        this.#void(outflow, obstacle.message, 0n);
        return refuse('chain_unavailable', { reason: obstacle.message });
      }
    }
    if (!(await this.#supply(outflow.terms.token))) {
      this.#void(outflow, 'the treasury is short of funds', 0n);
      return refuse('chain_unavailable', { reason: 'the treasury is short of funds' });
    }
    const { treasury } = this.#addresses;
    const { payTo, token, amountBase } = outflow.terms;
    const outcome = await this.#transfers.send({
      from: treasury,
      to: payTo,
      token,
      amountBase,
      onSubmitted,
    });
    if (outcome.kind === 'unknown') {
      const finish = (known: KnownOutcome) => void this.#finish(outflow, known);
      this.late.add(outcome.signature, { subject: `outflow/${id}`, finish });
      return ok(outflow);
    }
    return this.#finish(outflow, outcome);
  }

  #finish(outflow: Outflow, outcome: KnownOutcome): Result<Outflow> {
    if (outcome.kind === 'failed') {
      const { payTo } = outflow.terms;
      this.#void(outflow, outcome.reason, outcome.costLamports);
      if (outcome.cause === 'chain') return refuse('chain_unavailable', { reason: outcome.reason });
      return refuse(
        'transaction_failed',
        { chain_error: outcome.reason, destination: payTo, at: isoOf(this.#nowMs()) },
        `The chain refused the transfer (${outcome.reason}); the amount is back in checking.`,
      );
    }
    this.#books.append(postOutflow(this.#books.state, outflow, outcome), this.#nowMs());
    return ok(this.#outflow(outflow.id));
  }

  /** Makes a wallet's token account for USDC at the treasury's cost. It may fail; then whoever needs it will see. */
  async openTokenAccount(owner: string): Promise<void> {
    const subject = `account/${owner}`;
    if (this.late.isWaiting(subject)) return;
    const outcome = await this.#transfers.createTokenAccount(owner);
    const finish = (known: KnownOutcome) => {
      if (known.kind === 'done') {
        this.#books.append(payCosts(known.signature, known.costLamports), this.#nowMs());
      }
    };
    if (outcome.kind === 'unknown') this.late.add(outcome.signature, { subject, finish });
    else finish(outcome);
  }

  /** Brings what agents save to the lending protocol, or back, in one transfer a token. */
  async settleSavings(): Promise<void> {
    const due = settlementDue(this.#books.state);
    const moved = { USDC: 0n, SOL: 0n };
    let signature: string | null = null;
    let costLamports = 0n;
    for (const token of TOKENS) {
      const amount = this.#settleable(token, due);
      const subject = `savings/${token}`;
      if (amount === 0n || this.late.isWaiting(subject)) continue;
      const outcome = await this.#transfers.send(
        amount > 0n
          ? {
              from: this.#addresses.treasury,
              to: this.#addresses.protocol.address,
              token,
              amountBase: amount,
            }
          : {
              from: this.#addresses.protocol,
              to: this.#addresses.treasury.address,
              token,
              amountBase: -amount,
            },
      );
      if (outcome.kind === 'unknown') {
        const finish = (known: KnownOutcome) => this.#settleLate(token, amount, known);
        this.late.add(outcome.signature, { subject, finish });
        continue;
      }
      costLamports += costOf(token, amount, outcome);
      if (outcome.kind === 'failed') continue;
      moved[token] = amount;
      signature = outcome.signature;
    }
    this.#books.append(settleSavings(signature, moved, costLamports), this.#nowMs());
  }

  #settleLate(token: Token, amount: bigint, outcome: KnownOutcome): void {
    const isDone = outcome.kind === 'done';
    const moved = { USDC: 0n, SOL: 0n, [token]: isDone ? amount : 0n };
    const signature = isDone ? outcome.signature : null;
    this.#books.append(settleSavings(signature, moved, costOf(token, amount, outcome)), this.#nowMs());
  }

  #settleable(token: Token, due: PerToken<bigint>): bigint {
    const amount = due[token];
    const free = this.#free(token);
    return amount > 0n && amount > free ? (free > 0n ? free : 0n) : amount;
  }

  // What the treasury can part with: less what other outflows have reserved, less a reserve of lamports.
  #free(token: Token): bigint {
    const { totals } = this.#books.state;
    return totals.treasury[token] + totals.pending[token] - (token === 'SOL' ? RESERVE_LAMPORTS : 0n);
  }

  // What is to be sent is reserved already, so the treasury is short when less than nothing is free.
  async #supply(token: Token): Promise<boolean> {
    const short = () => this.#free(token) < 0n;
    if (!short()) return true;
    await this.settleSavings();
    if (short()) await this.#sweep(token, short);
    return !short();
  }

  async #sweep(token: Token, short: () => boolean): Promise<void> {
    const wallets = [...this.#books.state.agents.keys()].toSorted();
    for (const wallet of wallets) {
      if (!short()) return;
      const there = this.#books.state.agents.get(wallet)?.balances.collection[token] ?? 0n;
      const subject = `sweep/${wallet}/${token}`;
      if (there === 0n || this.late.isWaiting(subject)) continue;
      const from = this.#addresses.collection(wallet);
      const outcome = await this.#transfers.send({
        from,
        to: this.#addresses.treasury.address,
        token,
        amountBase: there,
      });
      const finish = (known: KnownOutcome) => {
        if (known.kind === 'failed') return;
        const moved = { USDC: 0n, SOL: 0n, [token]: there };
        const swept = { signature: known.signature, moved, costLamports: costOf(token, -there, known) };
        this.#books.append(sweepCollection(wallet, swept), this.#nowMs());
      };
      if (outcome.kind === 'unknown') this.late.add(outcome.signature, { subject, finish });
      else finish(outcome);
    }
  }

  #void(outflow: Outflow, reason: string, costLamports: bigint): void {
    this.#books.append(voidOutflow(outflow, reason, costLamports), this.#nowMs());
  }

  #outflow(id: number): Outflow {
    const outflow = this.#books.state.outflows.get(id);
    if (outflow === undefined) throw new Error(`there is no outflow ${id}`);
    return outflow;
  }
}
