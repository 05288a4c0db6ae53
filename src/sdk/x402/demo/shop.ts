import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import type { Snapshotable } from '../../../core/snapshot.js';
import { type PaywallEnv, honoPaywall } from '../hono.js';
import { MemoryStorage } from '../memory-storage.js';
import { Paywall } from '../paywall.js';
import type { Collector, PaywallClock, Price, StandardFacilitator } from '../ports.js';
import { HOSTILE, type HostileName, HostileShop } from './hostile.js';

export interface DemoShopOptions {
  /** The service's account at the bank. */
  readonly bank: Collector;
  readonly recipient: string;
  /** The bank's receipt-signing public key. */
  readonly issuer: string;
  readonly clock: PaywallClock;
  /** Any other address, for the hostile service that names a wrong recipient. */
  readonly stranger: string;
  /** The delay of the slow hostile service; 20 seconds when left out. */
  readonly slowMs?: number;
  readonly wait?: (ms: number) => Promise<void>;
  /** Accepts payments of standard x402 for the honest goods; null to refuse them. */
  readonly facilitator: StandardFacilitator | null;
  readonly onProblem?: (problem: unknown) => void;
  /** Called with each part that holds the service's state, so that a revert of the world restores it. */
  readonly attach?: (part: Snapshotable<unknown>) => void;
}

const SLOW_MS = 20_000;

interface Good {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly price: Price;
  readonly gives: string;
}

const GOODS: readonly Good[] = [
  { method: 'GET', path: '/weather', price: { amount: 0.01 }, gives: 'the weather of a simulated city' },
  { method: 'GET', path: '/report', price: { amount: 5 }, gives: 'an expensive report, above many limits' },
  {
    method: 'GET',
    path: '/sunshine',
    price: { amount: 0.001, token: 'SOL' },
    gives: 'the report, priced in SOL',
  },
  { method: 'POST', path: '/echo', price: { amount: 0.02 }, gives: 'the body of the request' },
];

function priceList(recipient: string): object {
  return {
    service: 'agent-bank-sim demo service: things to buy by x402',
    recipient,
    goods: GOODS.map(({ method, path, price, gives }) => ({
      method,
      path,
      price: { amount: price.amount, token: price.token ?? 'USDC' },
      gives,
    })),
    hostile: Object.entries(HOSTILE).map(([name, { does, agent }]) => ({
      method: 'GET',
      path: `/hostile/${name}`,
      price: { amount: 0.1, token: 'USDC' },
      does,
      a_good_agent: agent,
    })),
  };
}

/** A service that sells a few goods honestly behind a paywall, and others in ways that break the rules. `GET /` is its price list. */
export function demoShop(options: DemoShopOptions): (request: Request) => Promise<Response> {
  const { bank, recipient, issuer, clock, stranger, facilitator, onProblem } = options;
  const storage = new MemoryStorage(clock);
  const parts = {
    bank,
    recipient,
    issuer,
    clock,
    storage,
    ...(facilitator === null ? {} : { facilitator }),
    ...(onProblem === undefined ? {} : { onProblem }),
  };
  // The timer must not keep a stopping process alive.
  const { slowMs = SLOW_MS, wait = (ms: number) => pause(ms, undefined, { ref: false }) } = options;
  const hostile = new HostileShop({ bank, issuer, stranger, slowMs, wait });
  for (const part of [storage, hostile.shown]) options.attach?.(part);
  const app = new Hono<PaywallEnv>();
  // On its route, so that whatever the router takes for this path, in another spelling or by HEAD, costs the price.
  for (const { method, path, price } of GOODS)
    app.on(method, path, honoPaywall(new Paywall({ ...parts, price })));
  app.get('/', (context) => context.json(priceList(recipient)));
  app.get('/weather', (context) => context.json({ city: 'Simulacra', sky: 'clear', celsius: 21 }));
  app.get('/report', (context) => context.json({ pages: ['It is all simulated.'] }));
  app.get('/sunshine', (context) => context.json({ city: 'Simulacra', hours: 14 }));
  app.post('/echo', async (context) => context.body(await context.req.arrayBuffer()));
  for (const name of Object.keys(HOSTILE) as HostileName[])
    app.get(`/hostile/${name}`, (context) => hostile.answer(name, context.req.raw));
  app.notFound((context) => {
    const error = 'This service does not sell that; GET / lists its goods.';
    return context.json({ error, code: 'not_found', details: { path: context.req.path } }, 404);
  });
  app.onError((problem, context) => {
    onProblem?.(problem);
    const error = 'The demo service could not reach the bank; nothing was charged.';
    return context.json({ error, code: 'bank_unavailable', details: {} }, 503);
  });
  return async (request) => app.fetch(request);
}
