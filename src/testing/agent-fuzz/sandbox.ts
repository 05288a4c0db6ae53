import { BASE_PATH, endpoints } from '../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import type { CallTrace, TracedCall } from './call-trace.js';
import { type Trouble, mishapKind } from './mishaps.js';
import type { AgentPlan, PlannedMishap } from './plan.js';
import type { AgentWorld } from '../drivers/agent-sandbox.js';
import { operationAt } from '../../contract/match-path.js';

/** Resource limits of an agent. */
export interface AgentLimits {
  /** Requests and waits in total. */
  readonly calls: number;
  /** Simulated milliseconds of waiting in total. */
  readonly waitMs: number;
  /** Real milliseconds per run. */
  readonly realMs: number;
}

/** By operation of the bank: the agent's calls, and how many of them a fault affected. */
export type OperationCounts = Record<string, { calls: number; affected: number }>;

export type Stopped = 'calls' | 'wait' | 'real';

const TABLE = endpoints(DEFAULT_VARIANTS);

const MOST_REDIRECTS = 20;

function operationOf({ method, url }: Request): keyof typeof TABLE | null {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(BASE_PATH)) return null;
  return operationAt(TABLE, method, pathname.slice(BASE_PATH.length))?.operation ?? null;
}

/** Thrown by a call that never gets a response. */
const OVER = new Error('the run is over');

/** Stands between an agent and its world: counts calls, injects the planned faults, and stops agents that exceed a limit. */
export class AgentSandbox {
  readonly #world: AgentWorld;
  readonly #plan: AgentPlan;
  readonly #limits: AgentLimits;
  readonly #trace: CallTrace;
  readonly #counts = new Map<string, number>();
  readonly #bankHost: string;
  /** Indices, within the plan, of the faults that fired. */
  readonly met = new Set<number>();
  readonly operations: OperationCounts = {};
  /** Requests and waits so far. */
  calls = 0;
  /** Resolves when the agent exceeds a limit. */
  readonly stopped: Promise<Stopped>;
  #stop: (why: Stopped) => void = () => undefined;
  #realTime: NodeJS.Timeout | undefined;
  #isClosed = false;
  #last: Promise<void> = Promise.resolve();
  #waitedMs = 0;

  constructor(world: AgentWorld, plan: AgentPlan, limits: AgentLimits, trace: CallTrace) {
    this.#world = world;
    this.#plan = plan;
    this.#limits = limits;
    this.#trace = trace;
    this.#bankHost = new URL(world.baseUrl).host;
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  /** Injects the faults planned for the start. From then on the agent's real time is limited. */
  async begin(): Promise<void> {
    for (const mishap of this.#fired('start', null, 1)) await this.#inWorld(mishap);
    this.#realTime = setTimeout(() => this.#end('real'), this.#limits.realMs);
  }

  /** Stops accepting calls, and resolves when the calls in progress have ended. */
  async close(): Promise<void> {
    clearTimeout(this.#realTime);
    this.#isClosed = true;
    await this.#last;
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    let hop = request;
    for (let redirects = 0; ; redirects += 1) {
      const next = hop.clone();
      const response = await this.#inTurn(() => this.#ask(hop));
      const to = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || to === null || request.redirect === 'manual')
        // As `fetch` does.
        return Object.defineProperties(response, {
          url: { value: hop.url },
          redirected: { value: redirects > 0 },
        });
      if (request.redirect === 'error' || redirects === MOST_REDIRECTS)
        throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
      const { url } = next;
      hop = new Request(new URL(to, url), { method: next.method, headers: headersFor(next, to) });
    }
  };

  readonly sleep = async (ms: number): Promise<void> => {
    if (!(ms >= 0)) throw new RangeError(`cannot sleep ${ms} ms`);
    await this.#inTurn(async () => {
      this.#waitedMs += ms;
      if (this.#waitedMs > this.#limits.waitMs) {
        this.#end('wait');
        throw OVER;
      }
      this.#trace.note(`waits ${ms / 1_000} s`);
      if (ms > 0) await this.#world.advance(Math.ceil(ms));
    });
  };

  /** Runs calls one after another, so that equal agents meet equal worlds. Calls made after closing never settle. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isClosed) this.calls += 1;
    if (this.calls > this.#limits.calls) this.#end('calls');
    return new Promise((resolve, reject) => {
      const after = async (last: Promise<void>) => {
        await last;
        if (this.#isClosed) return;
        try {
          resolve(await work());
        } catch (error) {
          if (error !== OVER) reject(error);
        }
      };
      this.#last = after(this.#last);
    });
  }

  #end(why: Stopped): void {
    this.#isClosed = true;
    this.#stop(why);
  }

  #ask(request: Request): Promise<Response> {
    return new URL(request.url).host === this.#bankHost ? this.#askBank(request) : this.#askShop(request);
  }

  async #askBank(request: Request): Promise<Response> {
    const operation = operationOf(request);
    const fired: PlannedMishap[] = [];
    if (operation !== null) {
      const count = this.#count('bank');
      for (const mishap of this.#fired('before-bank', null, count)) await this.#inWorld(mishap);
      if ('spends' in TABLE[operation]) fired.push(...this.#fired('pay', null, this.#count('pay')));
      fired.push(...this.#fired('bank', null, count));
      const counts = (this.operations[operation] ??= { calls: 0, affected: 0 });
      counts.calls += 1;
      if (fired.length > 0) counts.affected += 1;
    }
    return this.#traced({ request, operation, order: null }, fired[0], (trouble) =>
      this.#world.bank(request, operation, trouble?.to === 'bank' ? trouble.does : null),
    );
  }

  async #askShop(request: Request): Promise<Response> {
    const order = new URL(request.url).pathname.split('/').at(-1) ?? '';
    const at = request.headers.has('x-payment-receipt') ? 'show' : 'ask';
    // After a redirect, the agent no longer talks to the service that the plan applies to.
    const isElsewhere = new URL(request.url).hostname === `${this.#world.stranger.name}.test`;
    const fired = isElsewhere ? [] : this.#fired(at, order, this.#count(`${at}/${order}`));
    return this.#traced({ request, operation: null, order }, fired[0], (trouble) =>
      this.#world.shop(request, order, trouble?.to === 'ask' || trouble?.to === 'show' ? trouble.does : null),
    );
  }

  #traced(
    call: TracedCall,
    mishap: PlannedMishap | undefined,
    work: (trouble: Trouble | null) => Promise<Response>,
  ): Promise<Response> {
    if (mishap === undefined) return this.#trace.during(call, [], () => work(null));
    const { says, trouble } = this.#meet(mishap);
    return this.#trace.during(call, [says], () => work(trouble));
  }

  async #inWorld(mishap: PlannedMishap): Promise<void> {
    const { says, trouble } = this.#meet(mishap);
    if (trouble.to !== 'world') return;
    this.#trace.note('', [says]);
    const { what, size } = trouble.does;
    switch (what) {
      case 'jump':
        return this.#world.advance(size);
      case 'price':
        return this.#world.setUsdcPrice(size);
      case 'limit':
        return this.#world.useLimit(size);
    }
  }

  #count(what: string): number {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return count;
  }

  #fired(at: PlannedMishap['at'], order: string | null, count: number): PlannedMishap[] {
    return this.#plan.mishaps.filter(
      (mishap) =>
        mishap.at === at &&
        (mishap.order === null || `order-${mishap.order}` === order) &&
        count >= mishap.nth &&
        count < mishap.nth + mishap.times,
    );
  }

  #meet(mishap: PlannedMishap): { readonly says: string; readonly trouble: Trouble } {
    this.met.add(this.#plan.mishaps.indexOf(mishap));
    const { says, trouble } = mishapKind(mishap.what);
    return { says: says(mishap.size), trouble: trouble(mishap.size) };
  }
}

/** Drops the token on redirects to another origin. */
function headersFor(request: Request, to: string): Headers {
  const headers = new Headers(request.headers);
  if (new URL(to, request.url).origin !== new URL(request.url).origin) headers.delete('authorization');
  return headers;
}
