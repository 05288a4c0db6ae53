import { AgentClient } from '../../../sdk/client/client.js';
import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { type Outcome, codeOf } from '../outcome.js';
import { defined } from '../../../core/json.js';
import { MemoryPaymentStore } from '../../../sdk/x402/paying/payment-store.js';
import type { World } from '../target.js';
import type { Recorder } from './recorder.js';

export interface ServiceCall {
  readonly method: string;
  /** Relative to the base URL. */
  readonly path: string;
  /** Whether the path is relative to the origin instead. */
  readonly fromOrigin?: boolean;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Raw body, sent instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(
    present.map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();
  return search === '' ? '' : `?${search}`;
}

/** Calls the service anonymously: with these headers and no token. */
export function callService(world: World, call: ServiceCall, recorder: Recorder): Promise<Outcome> {
  const { method, path, fromOrigin = false, query = {}, body, text, headers = {} } = call;
  const base = fromOrigin ? new URL(world.baseUrl).origin : world.baseUrl;
  const hasBody = body !== undefined || text !== undefined;
  return recorder.ask(world.fetch, 'bank', {
    method,
    url: base + path + searchOf(query),
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...defined({ body: text ?? body, text }),
  });
}

/** An agent in a scenario: a wallet, and its token after sign-in. */
export class Actor {
  readonly name: string;
  readonly wallet: AgentWallet;
  readonly notes = new MemoryPaymentStore();
  readonly #world: World;
  /** Null before sign-in. */
  token: string | null = null;

  constructor(name: string, wallet: AgentWallet, world: World) {
    this.name = name;
    this.wallet = wallet;
    this.#world = world;
  }

  /** Requests a challenge, signs it and stores the token. An unexpected response becomes the outcome. */
  async signIn(recorder: Recorder): Promise<Outcome> {
    const { address } = this.wallet;
    const path = '/agent/auth/challenge';
    const asked = await callService(
      this.#world,
      { method: 'POST', path, body: { wallet: address } },
      recorder,
    );
    const { challenge } = (asked.body ?? {}) as { challenge?: unknown };
    if (!asked.isOk || typeof challenge !== 'string') return asked;
    const body = { wallet: address, signature: this.wallet.signText(challenge), message: challenge };
    const verified = await callService(
      this.#world,
      { method: 'POST', path: '/agent/auth/verify', body },
      recorder,
    );
    const { token } = (verified.body ?? {}) as { token?: unknown };
    if (verified.isOk && typeof token === 'string') this.token = token;
    return verified;
  }

  /** Makes a call with the agent's token, signing in before the first one; with `renew`, an expired token is renewed. */
  async call(call: ServiceCall, recorder: Recorder, renew = false): Promise<Outcome> {
    if (this.token === null) {
      const signedIn = await this.signIn(recorder);
      if (this.token === null) return signedIn;
    }
    const withToken = (): Promise<Outcome> =>
      callService(
        this.#world,
        { ...call, headers: { authorization: `Bearer ${this.token}`, ...call.headers } },
        recorder,
      );
    const outcome = await withToken();
    if (!renew || codeOf(outcome) !== 'token_expired') return outcome;
    await this.signIn(recorder);
    return withToken();
  }

  /** A typed client of the same wallet, whose requests are recorded. It signs in automatically. */
  client(recorder: Recorder): AgentClient {
    return new AgentClient({
      baseUrl: this.#world.baseUrl,
      wallet: this.wallet,
      fetch: recorder.listening(this.#world.fetch, 'bank'),
      ...(this.#world.chain === null ? {} : { chain: this.#world.chain }),
    });
  }
}
