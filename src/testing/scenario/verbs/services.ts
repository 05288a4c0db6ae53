import { z } from 'zod';
import { defined } from '../../../core/json.js';
import { payingFetch } from '../../../sdk/x402/paying/paying-fetch.js';
import { PaymentError } from '../../../sdk/x402/paying/payment-error.js';
import { type Outcome, done, refusedWith } from '../outcome.js';
import { PaidService } from '../play/paid-service.js';
import { Recorder } from '../play/recorder.js';
import type { ScenarioContext } from '../play/scenario-context.js';
import { agentVerb, worldVerb } from './verb.js';

const token = z.enum(['USDC', 'SOL']);

function serviceOf(context: ScenarioContext, name: string): PaidService {
  const service = context.services.get(name);
  if (service === undefined) {
    const known = [...context.services.keys()].join(', ') || 'none yet';
    throw new Error(`unknown service ${name}; known services: ${known}. Open one with service.open.`);
  }
  return service;
}

const urlOf = (name: string, path: string): string => `http://${name}.test${path}`;

export const SERVICES = {
  'service.open': worldVerb({
    summary: 'Start a service that responds with 402 until it gets a valid receipt',
    args: z.strictObject({
      name: z.string().describe('name of the service in the scenario'),
      seller: z.string().describe('the agent that receives the payments'),
      price: z.number().positive(),
      token: token.default('USDC'),
      expiresIn: z.int().positive().optional().describe('seconds until a payment request expires'),
      collect: z
        .boolean()
        .default(true)
        .describe('whether payments are credited to the seller as they arrive'),
    }),
    run: async ({ name, seller, price, token: paidIn, expiresIn, collect }, { context }) => {
      const actor = context.actor(seller);
      if (context.facts.issuer === null)
        throw new Error('the service does not publish the key that signs receipts');
      const service = new PaidService({ amount: price, token: paidIn }, expiresIn, {
        // The calls of the service do not belong to a step.
        bank: actor.client(new Recorder()),
        recipient: actor.wallet.address,
        issuer: context.facts.issuer,
        clock: { nowMs: () => Date.parse(context.now) },
        collect,
      });
      context.services.set(name, service);
      return done({ url: urlOf(name, '/') });
    },
  }),
  'service.change': worldVerb({
    summary: 'Change the price of a running service, or make it fail after payment',
    args: z.strictObject({
      name: z.string(),
      price: z.number().positive().optional(),
      token: token.optional(),
      failing: z.boolean().optional(),
    }),
    run: async ({ name, price, token: paidIn, failing }, { context }) => {
      const service = serviceOf(context, name);
      service.price = { amount: price ?? service.price.amount, token: paidIn ?? service.price.token };
      service.isFailing = failing ?? service.isFailing;
      return done({ price: service.price, served: service.served });
    },
  }),
};

function receiptHeader(receipt: unknown): Record<string, string> {
  if (receipt === undefined) return {};
  const text =
    typeof receipt === 'string' ? receipt : Buffer.from(JSON.stringify(receipt)).toString('base64');
  return { 'x-payment-receipt': text };
}

export const AGENT_BUYS = {
  buy: agentVerb({
    summary: 'Fetch from a service, paying automatically within limits',
    args: z.strictObject({
      from: z.string().describe('the service'),
      path: z.string().default('/'),
      maxAmount: z.union([
        z.number(),
        z.strictObject({ USDC: z.number().optional(), SOL: z.number().optional() }),
      ]),
      recipient: z.string().optional().describe('recipient of the payment'),
    }),
    run: async (actor, { from, path, maxAmount, recipient }, { context, recorder }): Promise<Outcome> => {
      const service = serviceOf(context, from);
      const paying = payingFetch(recorder.listening(service.fetch, 'service'), actor.client(recorder), {
        maxAmount: typeof maxAmount === 'number' ? maxAmount : defined(maxAmount),
        store: actor.notes,
        clock: { nowMs: () => Date.parse(context.now) },
        usdcMint: context.facts.usdcMint,
        // Nothing else can wait for it.
        wait: async () => undefined,
        ...defined({ recipient }),
      });
      try {
        const response = await paying(urlOf(from, path));
        const body: unknown = await response.json().catch(() => null);
        const headers = Object.fromEntries(response.headers);
        return { status: response.status, headers, body, isOk: response.ok, lost: null };
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return refusedWith(error.code, error.message, { details: error.details });
      }
    },
  }),
  visit: agentVerb({
    summary: 'Request a service without paying, or with a receipt',
    args: z.strictObject({
      service: z.string(),
      path: z.string().default('/'),
      method: z.string().default('GET'),
      body: z.unknown().optional(),
      receipt: z.unknown().optional().describe('a receipt of x402.pay, or the header verbatim'),
      headers: z.record(z.string(), z.string()).optional(),
    }),
    run: async (_actor, { service, path, method, body, receipt, headers = {} }, { context, recorder }) => {
      const sent = { method, headers: { ...headers, ...receiptHeader(receipt) } };
      const init = { ...sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return recorder.ask(serviceOf(context, service).fetch, 'service', urlOf(service, path), init);
    },
  }),
};
