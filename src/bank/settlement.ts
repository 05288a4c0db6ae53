import { isoOf } from '../domain/calendar.js';
import { TOKENS, type Token, type PerToken } from '../domain/money.js';
import { sweepCollection } from '../domain/operations/pay-costs.js';
import { postOutflow, voidOutflow } from '../domain/operations/settle-outflow.js';
import { settleSavings, settlementDue } from '../domain/operations/settle-savings.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Outflow } from '../domain/state.js';
import type { BankAddresses } from './addresses.js';
import type { Books } from './books.js';
import type { Transfers } from './transfers.js';

/** Lamports that the treasury keeps for fees and rent. */
const RESERVE_LAMPORTS = 1_000_000_000n;

/** The second phase of everything that moves money on chain: submit, then post or void. */
export class Settlement {
  readonly #books: Books;
  readonly #transfers: Transfers;
  readonly #addresses: BankAddresses;
  readonly #nowMs: () => number;

  constructor(parts: { books: Books; transfers: Transfers; addresses: BankAddresses; nowMs: () => number }) {
    this.#books = parts.books;
    this.#transfers = parts.transfers;
    this.#addresses = parts.addresses;
    this.#nowMs = parts.nowMs;
  }

  /**
   * Carries a reserved outflow out. Refuses, with the money back in checking: `transaction_failed` when the chain turned the
   * transfer down, `chain_unavailable` when the treasury could not be supplied. `onSubmitted` hears the signature early.
   */
  async carryOut(id: number, onSubmitted?: (signature: string) => void): Promise<Result<Outflow>> {
    const outflow = this.#outflow(id);
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
    if (outcome.kind === 'failed') {
      this.#void(outflow, outcome.reason, outcome.costLamports);
      if (outcome.cause === 'chain') return refuse('chain_unavailable', { reason: outcome.reason });
      return refuse(
        'transaction_failed',
        { chain_error: outcome.reason, destination: payTo, at: isoOf(this.#nowMs()) },
        `The chain refused the transfer (${outcome.reason}); the amount is back in checking.`,
      );
    }
    this.#books.append(postOutflow(this.#books.state, outflow, outcome), this.#nowMs());
    return ok(this.#outflow(id));
  }

  /** Brings what agents save to the lending protocol, or back, in one transfer a token. */
  async settleSavings(): Promise<void> {
    const due = settlementDue(this.#books.state);
    const moved = { USDC: 0n, SOL: 0n };
    let signature: string | null = null;
    let costLamports = 0n;
    for (const token of TOKENS) {
      const amount = this.#settleable(token, due);
      if (amount === 0n) continue;
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
      costLamports += outcome.costLamports;
      if (outcome.kind === 'failed') continue;
      // Lamports that came back lower what the treasury lost; they are the amount, not a cost.
      if (token === 'SOL' && amount < 0n) costLamports -= amount;
      moved[token] = amount;
      signature = outcome.signature;
    }
    this.#books.append(settleSavings(signature, moved, costLamports), this.#nowMs());
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
      if (there === 0n) continue;
      const from = this.#addresses.collection(wallet);
      const outcome = await this.#transfers.send({
        from,
        to: this.#addresses.treasury.address,
        token,
        amountBase: there,
      });
      if (outcome.kind === 'failed') continue;
      const moved = { USDC: 0n, SOL: 0n, [token]: there };
      const costLamports = token === 'SOL' ? outcome.costLamports + there : outcome.costLamports;
      this.#books.append(
        sweepCollection(wallet, { signature: outcome.signature, moved, costLamports }),
        this.#nowMs(),
      );
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
