import { AgentClient } from '../../../sdk/client/client.js';
import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { type Outcome, codeOf } from '../outcome.js';
import { isTokenRefused } from '../../../core/domain/errors.js';
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
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = sent === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...type, ...headers }, ...defined({ body: sent }) };
  return recorder.ask(world.fetch, 'bank', base + path + searchOf(query), init);
}

/** An agent in a scenario: a wallet, and its token after sign-in. */
export class Actor {
  readonly notes = new MemoryPaymentStore();
  /** Null before sign-in. */
  token: string | null = null;

  constructor(
    readonly wallet: AgentWallet,
    readonly world: World,
  ) {}

  /** Requests a challenge, signs it and stores the token. An unexpected response becomes the outcome. */
  async signIn(recorder: Recorder): Promise<Outcome> {
    const { address } = this.wallet;
    const post = (path: string, body: object) =>
      callService(this.world, { method: 'POST', path, body }, recorder);
    const asked = await post('/agent/auth/challenge', { wallet: address });
    const { challenge } = (asked.body ?? {}) as { challenge?: unknown };
    if (!asked.isOk || typeof challenge !== 'string') return asked;
    const signature = this.wallet.signText(challenge);
    const verified = await post('/agent/auth/verify', { wallet: address, signature, message: challenge });
    const { token } = (verified.body ?? {}) as { token?: unknown };
    if (verified.isOk && typeof token === 'string') this.token = token;
    return verified;
  }

  /** Makes a call with the agent's token, signing in before the first one; with `renew`, a refused token is renewed. */
  async call(call: ServiceCall, recorder: Recorder, renew = false): Promise<Outcome> {
    if (this.token === null) {
      const signedIn = await this.signIn(recorder);
      if (this.token === null) return signedIn;
    }
    const withToken = (): Promise<Outcome> => {
      const headers = { authorization: `Bearer ${this.token}`, ...call.headers };
      return callService(this.world, { ...call, headers }, recorder);
    };
    const outcome = await withToken();
    if (!renew || !isTokenRefused(codeOf(outcome))) return outcome;
    await this.signIn(recorder);
    return withToken();
  }

  /** A typed client of the same wallet, whose requests are recorded. It signs in automatically. */
  client(recorder: Recorder): AgentClient {
    return new AgentClient({
      baseUrl: this.world.baseUrl,
      wallet: this.wallet,
      fetch: recorder.listening(this.world.fetch, 'bank'),
      ...(this.world.chain === null ? {} : { chain: this.world.chain }),
    });
  }
}
