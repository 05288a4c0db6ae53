import { expect } from 'vitest';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import { encodeHeader } from '../../../src/core/domain/payment-request.js';
import type { Simulator } from '../../../src/index.js';
import { demoShop } from '../../../src/sdk/x402/demo/shop.js';
import {
  type PaymentReceipt,
  type PaymentRequest,
  PaymentError,
  Paywall,
  type PaywallOptions,
  type StandardFacilitator,
  facilitatorAt,
} from '../../../src/sdk/x402/index.js';

export const ORIGIN = 'http://shop.local';

/** A service's response. */
export interface Answered {
  readonly status: number;
  readonly code: string | null;
  readonly details: Record<string, unknown>;
  /** The decoded X-Payment-Request, and the header itself. */
  readonly asked: PaymentRequest | null;
  readonly header: string | null;
  readonly body: Record<string, unknown>;
}

/** Reads a response. */
export async function answered(response: Response): Promise<Answered> {
  const body = (await response.json()) as Record<string, unknown>;
  const header = response.headers.get('x-payment-request');
  return {
    status: response.status,
    code: (body['code'] as string | undefined) ?? null,
    details: (body['details'] ?? {}) as Record<string, unknown>,
    asked: (body['payment_request'] ?? null) as PaymentRequest | null,
    header,
    body,
  };
}

/** A service behind a paywall, with a dev wallet's account and the world's clock. */
export class Shop {
  readonly paywall: Paywall;
  readonly problems: unknown[] = [];
  served = 0;
  /** The status that the service answers when it serves. */
  status = 200;

  constructor(
    readonly sim: Simulator,
    readonly account: AgentClient,
    options: Partial<PaywallOptions> = {},
  ) {
    this.paywall = new Paywall({
      bank: account,
      recipient: account.wallet.address,
      issuer: sim.facts.issuerPublicKey,
      price: { amount: 0.25, expiresInSeconds: 600 },
      clock: { nowMs: () => sim.now().getTime() },
      onProblem: (problem) => this.problems.push(problem),
      ...options,
    });
  }

  fetch = async (url: string, init: RequestInit = {}): Promise<Response> =>
    this.paywall.answer(new Request(new URL(url, ORIGIN), init), (_request, payment) => {
      this.served += 1;
      return Response.json({ served: this.served, payer: payment?.payer ?? null }, { status: this.status });
    });

  async get(path: string, receipt?: PaymentReceipt | string, init: RequestInit = {}): Promise<Answered> {
    const header = typeof receipt === 'object' ? encodeHeader(receipt) : receipt;
    const headers: Record<string, string> = header === undefined ? {} : { 'x-payment-receipt': header };
    return answered(await this.fetch(path, { ...init, headers }));
  }

  /** Requests a resource without paying; expects a 402. */
  async ask(path: string, init: RequestInit = {}): Promise<{ asked: PaymentRequest; header: string }> {
    const { status, code, asked, header } = await this.get(path, undefined, init);
    expect({ status, code }).toEqual({ status: 402, code: 'payment_required' });
    return { asked: asked as PaymentRequest, header: header as string };
  }
}

/** Pays what a shop requests, as it requests it. */
export async function payFor(
  agent: AgentClient,
  { asked, header }: { asked: PaymentRequest; header: string },
  changes: Partial<{ amount: number; recipient: string }> = {},
): Promise<PaymentReceipt> {
  const { recipient, amount, token } = asked;
  return (await agent.pay({ recipient, amount, token, payment_request: header, ...changes })).receipt;
}

/** How a call of a paying client ends: `served`, or the code of the error, which is the bank's where the bank has refused. */
export async function outcome(call: Promise<Response>): Promise<unknown> {
  try {
    return (await call).ok ? 'served' : 'not ok';
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    return error.code === 'payment_refused' ? error.details['bank_code'] : error.code;
  }
}

/** The facilitator of a world. */
export function facilitatorOf(sim: Simulator): StandardFacilitator {
  return facilitatorAt('http://sim.local/facilitator/', (url, init) => sim.fetch(url, init));
}

/** The demo service with the account of a wallet, the world's clock and its facilitator. */
export function demoShopOf(
  sim: Simulator,
  account: AgentClient,
  more: Partial<Parameters<typeof demoShop>[0]> = {},
): ReturnType<typeof demoShop> {
  return demoShop({
    bank: account,
    recipient: account.wallet.address,
    issuer: sim.facts.issuerPublicKey,
    clock: { nowMs: () => sim.now().getTime() },
    stranger: sim.wallets[9]?.address ?? '',
    facilitator: facilitatorOf(sim),
    ...more,
  });
}
