import type { RequestContext } from '../core/domain/request-context.js';
import type { Token } from '../core/domain/money.js';
import { payCosts, sweepCollection } from '../core/domain/operations/pay-costs.js';
import type { BankAddresses } from './addresses.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';
import type { UnconfirmedTransfer } from './in-flight-work.js';
import { type KnownOutcome, type TransferResult, type Transfers, costOf } from './transfers.js';
import type { UnconfirmedTransfers } from './unconfirmed-transfers.js';
import { rentExemptLamports } from '../chain/solana/token-accounts.js';

/** An address without data may hold no lamports, or at least this many. */
const RENT_MINIMUM = rentExemptLamports(0);

interface Parts {
  readonly books: Books;
  readonly transfers: Transfers;
  readonly addresses: BankAddresses;
  readonly late: UnconfirmedTransfers;
  readonly world: BankWorld;
}

/** Prepares collection addresses for payments at the treasury's cost, and sweeps them into it. */
export class Collections {
  readonly #parts: Parts;
  /** Addresses that are being prepared, for SOL or USDC. */
  readonly #preparing = new Map<string, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Creates an address's USDC token account. Failures are ignored: the operation that needs the account fails later. */
  openTokenAccount(owner: string, cause: RequestContext): Promise<void> {
    return this.#prepare(owner, 'USDC', async () => {
      const { transfers } = this.#parts;
      if (await transfers.hasTokenAccount(owner)) return;
      this.#book(await transfers.createTokenAccount(owner, cause));
    });
  }

  /** Sends an address the lamports that it lacks to receive an amount of SOL. Failures are also ignored. */
  async lift(owner: string, amountBase: bigint, cause: RequestContext): Promise<void> {
    const { transfers } = this.#parts;
    if ((await transfers.lamportsOf(owner)) + amountBase >= RENT_MINIMUM) return;
    await this.#prepare(owner, 'SOL', async () => {
      const lacking = RENT_MINIMUM - (await transfers.lamportsOf(owner));
      if (lacking > 0n) await this.#give(owner, lacking, cause);
    });
  }

  /** Callers that overlap share one preparation. */
  #prepare(owner: string, token: Token, work: () => Promise<void>): Promise<void> {
    const name = `${owner} ${token}`;
    const running = this.#preparing.get(name);
    if (running !== undefined) return running;
    if (this.#parts.late.isWaiting({ kind: 'account', owner })) return Promise.resolve();
    const done = work().finally(() => this.#preparing.delete(name));
    this.#preparing.set(name, done);
    return done;
  }

  async #give(owner: string, amountBase: bigint, cause: RequestContext): Promise<void> {
    const { transfers, addresses } = this.#parts;
    const purpose = { kind: 'account', owner } as const;
    const from = addresses.treasury;
    this.#book(await transfers.send({ from, to: owner, token: 'SOL', amountBase, purpose, cause }));
  }

  /** Moves the holdings of collection addresses to the treasury, one by one, until the treasury has enough. */
  async sweep(token: Token, isShort: () => boolean, cause: RequestContext): Promise<void> {
    const { books, transfers, addresses, late } = this.#parts;
    for (const wallet of [...books.state.agents.keys()].toSorted()) {
      if (!isShort()) return;
      const held = books.state.agents.get(wallet)?.balances.collection[token] ?? 0n;
      // The rent minimum stays, so that requests for small sums can still be paid.
      const amountBase = token === 'SOL' ? held - RENT_MINIMUM : held;
      const purpose = { kind: 'sweep', wallet, token, amountBase } as const;
      if (amountBase <= 0n || late.isWaiting(purpose)) continue;
      const from = addresses.collection(wallet);
      const to = addresses.treasury.address;
      this.#book(await transfers.send({ from, to, token, amountBase, purpose, cause }));
    }
  }

  #book(sent: TransferResult): void {
    if (sent.outcome === null) this.#parts.late.add(sent);
    else this.finish(sent.booking, sent.outcome);
  }

  finish({ purpose, movedLamports, cause }: UnconfirmedTransfer, outcome: KnownOutcome): void {
    const { books, transfers, world } = this.#parts;
    const { signature, costLamports } = outcome;
    if (signature === null) return;
    transfers.booked(signature);
    if (outcome.kind === 'failed') {
      books.append(payCosts(signature, costLamports), world.nowMs(), cause);
    } else if (purpose.kind === 'sweep') {
      const { wallet, token, amountBase } = purpose;
      const moved = { USDC: 0n, SOL: 0n, [token]: amountBase };
      const swept = { signature, moved, costLamports: costOf(token, -amountBase, outcome) };
      books.append(sweepCollection(wallet, swept), world.nowMs(), cause);
    } else if (purpose.kind === 'account') {
      const wallet = books.state.collections.get(purpose.owner);
      const given = wallet === undefined ? null : { wallet, lamports: movedLamports };
      books.append(payCosts(signature, costLamports, given), world.nowMs(), cause);
    }
  }
}
