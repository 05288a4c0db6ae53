import {
  type PaymentReceipt,
  type PaymentRequest,
  encodeHeader,
} from '../../../core/domain/payment-request.js';
import { Map as PMap } from 'immutable';
import { Cell } from '../../../core/snapshot.js';
import type { Collector, Price } from '../ports.js';
import { ReceiptVerifier } from '../receipt-verifier.js';
import { isNotOnChain } from '../refusals.js';

export interface HostileParts {
  readonly bank: Collector;
  readonly issuer: string;
  /** An address other than the service's. */
  readonly stranger: string;
  readonly slowMs: number;
  /** Resolves after this number of milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

const TEN_CENTS: Price = { amount: 0.1 };
const HOUR_MS = 3_600_000;
const FAILURES_AFTER_PAYMENT = 3;

/** The hostile services, by their misbehaviour. */
export const HOSTILE = {
  'price-change': {
    does: 'asks for twice the price after it was paid',
    agent: 'does not pay the difference; gives up and keeps the receipt',
  },
  'asks-again': {
    does: 'asks for the same payment again after it was paid; serves when the receipt is presented a second time',
    agent: 'does not pay again, and presents the same receipt at its next call',
  },
  'wrong-recipient': {
    does: 'asks for a payment to an address other than its own',
    agent: "compares the address with the service's known address and does not pay",
  },
  'wrong-token': {
    does: 'asks for 0.1 SOL although the price list says 0.1 USDC',
    agent: 'has a limit for each token and does not pay in a token without a limit',
  },
  malformed: {
    does: 'sends an X-Payment-Request that cannot be decoded',
    agent: 'pays nothing',
  },
  expired: {
    does: 'sends payment requests that have expired',
    agent: 'does not pay; the bank would refuse, too',
  },
  endless: {
    does: 'returns 402 with a new payment request, whatever receipt is presented',
    agent: 'pays once, and never again for this resource',
  },
  slow: {
    does: 'takes the payment and responds late; responds at once when the receipt is presented again',
    agent: 'waits for a limited time, then presents the same receipt again',
  },
  'error-after-payment': {
    does: `takes the payment and returns 500 ${FAILURES_AFTER_PAYMENT} times, then serves`,
    agent: 'presents the same receipt again a few times, and again later, and never pays again',
  },
  'accepts-twice': {
    does: 'serves each time one receipt is presented',
    agent: 'still pays for each response: a receipt buys one response',
  },
} as const satisfies Record<string, { does: string; agent: string }>;

/** The name of a hostile service; its path is `/hostile/<name>`. */
export type HostileName = keyof typeof HOSTILE;

interface Shown {
  readonly receipt: PaymentReceipt;
  readonly times: number;
}

/** Services that each break the rules in one way, for tests of agents. */
export class HostileShop {
  readonly #parts: HostileParts;
  readonly #verifier: ReceiptVerifier;
  /** The number of presentations of each receipt, by its transaction. */
  readonly shown = new Cell<PMap<string, number>>(PMap());

  constructor(parts: HostileParts) {
    this.#parts = parts;
    this.#verifier = new ReceiptVerifier(parts.issuer);
  }

  async answer(name: HostileName, request: Request): Promise<Response> {
    const shown = await this.#take(request);
    switch (name) {
      case 'price-change':
        return this.#ask(name, { amount: shown === null ? TEN_CENTS.amount : 2 * shown.receipt.amount });
      case 'endless':
        return this.#ask(name, TEN_CENTS);
      case 'asks-again':
        return shown === null || shown.times === 0 ? this.#ask(name, TEN_CENTS) : this.#serve(name);
      case 'wrong-recipient': {
        const { stranger } = this.#parts;
        return this.#ask(name, TEN_CENTS, (issued) => ({ ...issued, recipient: stranger, pay_to: stranger }));
      }
      case 'wrong-token':
        return shown === null ? this.#ask(name, { ...TEN_CENTS, token: 'SOL' }) : this.#serve(name);
      case 'malformed':
        return this.#respond(name, '{"this is": not base64');
      case 'expired':
        return this.#ask(name, TEN_CENTS, (issued) => ({
          ...issued,
          issued_at: hoursBefore(issued.issued_at, 2),
          expires_at: hoursBefore(issued.issued_at, 1),
        }));
      case 'slow':
        if (shown?.times === 0) await this.#parts.wait(this.#parts.slowMs);
        return shown === null ? this.#ask(name, TEN_CENTS) : this.#serve(name);
      case 'error-after-payment':
        if (shown === null) return this.#ask(name, TEN_CENTS);
        return shown.times < FAILURES_AFTER_PAYMENT ? this.#fail(name) : this.#serve(name);
      case 'accepts-twice':
        return shown === null ? this.#ask(name, TEN_CENTS) : this.#serve(name);
    }
  }

  /** Verifies a receipt and collects its money, as all these services do. */
  async #take(request: Request): Promise<Shown | null> {
    const header = request.headers.get('x-payment-receipt');
    const verified = header === null ? null : this.#verifier.verify(header);
    if (verified === null || !verified.ok) return null;
    const receipt = verified.value;
    const { tx_signature } = receipt;
    try {
      await this.#parts.bank.receive({ tx_signature });
    } catch (error) {
      // A payment to another recipient, or one collected already, brings nothing; these services ignore that.
      if (isNotOnChain(error)) return null;
    }
    const times = this.shown.value.get(tx_signature) ?? 0;
    this.shown.value = this.shown.value.set(tx_signature, times + 1);
    return { receipt, times };
  }

  async #ask(
    name: HostileName,
    { amount, token = 'USDC' }: Price,
    alter: (issued: PaymentRequest) => PaymentRequest = (issued) => issued,
  ): Promise<Response> {
    const { payment_request: issued } = await this.#parts.bank.requestPayment({ amount, token });
    return this.#respond(name, encodeHeader(alter(issued)));
  }

  #respond(name: HostileName, header: string): Response {
    const body = { error: 'This costs money.', code: 'payment_required', details: { service: name } };
    return Response.json(body, { status: 402, headers: { 'x-payment-request': header } });
  }

  #serve(name: HostileName): Response {
    return Response.json({ service: name, served: true });
  }

  #fail(name: HostileName): Response {
    const body = {
      error: 'Something broke after you paid.',
      code: 'internal_error',
      details: { service: name },
    };
    return Response.json(body, { status: 500 });
  }
}

function hoursBefore(instant: string, hours: number): string {
  return new Date(Date.parse(instant) - hours * HOUR_MS).toISOString();
}
