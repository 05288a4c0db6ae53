import type { Env } from '../core/domain/ports.js';
import type { Account } from '../chain/engine.js';
import { NATIVE_MINT, TOKEN_PROGRAM } from '../chain/solana/addresses.js';
import { type ChainBackend, asUnreachable } from '../chain/backend.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { uuid } from '../core/domain/ids.js';
import { parseToken } from '../core/domain/inputs.js';
import { amountOf } from '../core/domain/money.js';
import { type PayInput, pay } from '../core/domain/operations/pay.js';
import { type WithdrawInput, withdraw } from '../core/domain/operations/withdraw.js';
import type { PaymentReceipt } from '../core/domain/payment-request.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { type Outflow, outflowOf } from '../core/domain/state.js';
import { balanceChange } from '../core/domain/views.js';
import type { BankAddresses } from './addresses.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';
import type { Idempotency } from './idempotency.js';
import { unreachable } from './chain-evidence.js';
import { issueReceipt } from './receipts.js';
import type { Settlement } from './settlement.js';

interface Parts {
  readonly books: Books;
  readonly chain: ChainBackend;
  readonly settlement: Settlement;
  readonly addresses: BankAddresses;
  readonly world: BankWorld;
  readonly idempotency: Idempotency;
}

/** Reserves outgoing money on the books, for withdrawals and x402 payments, and returns the outcome of its `Settlement`. */
export class Reservations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends tokens to a wallet: immediately, or queued if the variant says so. */
  async withdraw(input: WithdrawInput, cause: RequestContext) {
    const { books, settlement } = this.#parts;
    const reserved = await this.#reserve(input.token, input.destination, cause, (env) =>
      withdraw(books.state, input, env),
    );
    if (!reserved.ok) return reserved;
    const outflow = reserved.value;
    const isQueued = outflow.terms.executeAtMs !== null;
    const settled = isQueued ? ok(outflow) : await settlement.carryOut(outflow.id, cause);
    return settled.ok ? ok(this.#withdrawal(settled.value)) : settled;
  }

  #withdrawal({ id, status, signature, terms }: Outflow) {
    const { token, amountBase, payTo } = terms;
    // The checking balance right after the reservation.
    const current = this.#parts.books.entryAt(id).balanceAfterBase ?? 0n;
    return {
      success: true,
      withdrawal: {
        id: this.outflowId(id),
        amount: amountOf(token, amountBase),
        token,
        destination: payTo,
        status,
        tx_signature: signature,
      },
      balance: balanceChange(token, current + amountBase, current),
    };
  }

  /** Pays a wallet by x402 and returns the signed receipt. */
  async pay(input: PayInput, cause: RequestContext) {
    const { books, settlement } = this.#parts;
    const reserved = await this.#reserve(input.token, input.recipient, cause, (env) =>
      pay(books.state, input, env),
    );
    if (!reserved.ok) return reserved;
    const settled = await settlement.carryOut(reserved.value.id, cause);
    return settled.ok ? this.#payment(settled.value) : settled;
  }

  /** The response to a payment that has been sent. */
  #payment(outflow: Outflow): ReturnType<typeof paid> {
    return outflow.signature === null
      ? this.#underWay(outflow.id)
      : paid(this.#receipt(outflow, outflow.signature));
  }

  /** The current outcome of an outflow that was in flight when its call ended; null when it failed and may be repeated. */
  outcomeNow(outflowId: number): Result<unknown> | null {
    const outflow = outflowOf(this.#parts.books.state, outflowId);
    if (outflow.status === 'failed') return null;
    if (outflow.terms.type === 'withdraw') return ok(this.#withdrawal(outflow));
    return this.#payment(outflow);
  }

  /** The receipt of a successful x402 payment; null for other outflows. */
  receiptOf(outflowId: number): PaymentReceipt | null {
    const outflow = this.#parts.books.state.outflows.get(outflowId);
    const isPaid = outflow?.terms.type === 'x402' && outflow.status === 'completed';
    return isPaid && outflow.signature !== null ? this.#receipt(outflow, outflow.signature) : null;
  }

  /** The id of an outflow in the API. */
  outflowId(outflow: number): string {
    return uuid(this.#parts.world.constants.salt, 'entry', outflow);
  }

  async #reserve(
    tokenName: string,
    to: string | undefined,
    cause: RequestContext,
    decide: (env: Env) => ReturnType<typeof pay>,
  ): Promise<Result<Outflow>> {
    const { books, world, idempotency } = this.#parts;
    const token = parseToken(tokenName);
    if (!token.ok) return token;
    // Where the chain is in this process, nothing falls due between this look at it and the reservation.
    const looked = this.#checkDestination(to);
    const place = looked instanceof Promise ? await looked : looked;
    if (!place.ok && place.refusal.code !== 'chain_unavailable') return place;
    const env = world.env(cause);
    const decision = decide(env);
    // An unreachable chain is reported only when nothing else is wrong.
    if (!place.ok && decision.ok) return place;
    const reserved = books.commit(decision, env.nowMs, cause);
    if (!reserved.ok) return reserved;
    idempotency.reserved(cause.requestId, reserved.value);
    return ok(outflowOf(books.state, reserved.value));
  }

  #receipt(outflow: Outflow, signature: string): PaymentReceipt {
    const { addresses, books, world } = this.#parts;
    const nowMs = books.entryAt(outflow.id).atMs;
    return issueReceipt(outflow, signature, { addresses, salt: world.constants.salt, nowMs });
  }

  #underWay(outflow: number): Result<never> {
    const signature = this.#parts.settlement.late.signatureOf({ kind: 'outflow', outflow });
    const message =
      'The payment was sent, but its outcome is unknown; the amount stays reserved until the outcome is known. Within 24 hours it is safe to repeat the call with the same Idempotency-Key. Otherwise look in the transaction history first, and do not pay again while the payment is pending.';
    const details = { tx_signature: signature, status: 'pending' };
    return { ok: false, refusal: { code: 'chain_unavailable', message, details, underWay: outflow } };
  }

  /** Refuses programs, token accounts and mints as destination: tokens sent there would be lost. */
  #checkDestination(address: string | undefined): Result<void> | Promise<Result<void>> {
    if (address === undefined) return ok(undefined);
    const failed = (error: unknown): Result<void> => ({
      ok: false,
      refusal: unreachable(asUnreachable(error).message),
    });
    try {
      const checked = this.#parts.chain.reading({ account: address }, (reads) =>
        destination(address, reads.account(address)),
      );
      return checked instanceof Promise ? checked.catch(failed) : checked;
    } catch (error) {
      return failed(error);
    }
  }
}

function destination(wallet: string, account: Account | null): Result<void> {
  if (account?.executable === true)
    return refuse('invalid_wallet', { wallet, reason: 'a program, which has no key' });
  // The mint of wrapped SOL is one also where nothing has touched it yet, and no account stands for it.
  if (account?.owner !== TOKEN_PROGRAM && wallet !== NATIVE_MINT) return ok(undefined);
  return refuse(
    'invalid_wallet',
    { wallet, reason: 'a token account or a mint' },
    'This is a token account or a mint; use the address of the wallet that owns it.',
  );
}

function paid(receipt: PaymentReceipt) {
  const { payment_id, tx_signature } = receipt;
  return ok({ success: true, payment_id, tx_signature, receipt });
}
