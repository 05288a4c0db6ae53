import { decodeRequest } from '../../core/domain/payment-request.js';
import type { AgentWorld } from '../drivers/agent-sandbox.js';

export interface TraceLine {
  readonly did: string;
  /** Null for actions without a response, such as waiting. */
  readonly response: string | null;
  /** Faults injected into it, in words. */
  readonly mishaps: readonly string[];
}

export interface TracedCall {
  readonly request: Request;
  /** Operation of the bank; null for services and unknown paths. */
  readonly operation: string | null;
  /** Order of a service; null for the bank. */
  readonly order: string | null;
}

type Json = Readonly<Record<string, unknown>>;

async function bodyOf(from: Request | Response): Promise<Json> {
  return ((await from.json().catch(() => null)) ?? {}) as Json;
}

/** Records an agent's actions in words. */
export class CallTrace {
  readonly lines: TraceLine[] = [];
  readonly #world: AgentWorld;
  readonly #keys: string[] = [];

  constructor(world: AgentWorld) {
    this.#world = world;
  }

  /** Runs a call and records it. Rejects as the call does. */
  async during(
    call: TracedCall,
    mishaps: readonly string[],
    work: () => Promise<Response>,
  ): Promise<Response> {
    const did = await this.#did(call);
    try {
      const response = await work();
      this.lines.push({ did, response: await this.#responseText(response.clone()), mishaps });
      return response;
    } catch (error) {
      this.lines.push({ did, response: 'no response', mishaps });
      throw error;
    }
  }

  /** Records an action that is not a call. */
  note(did: string, mishaps: readonly string[] = []): void {
    this.lines.push({ did, response: null, mishaps });
  }

  async #did({ request, operation, order }: TracedCall): Promise<string> {
    const host = new URL(request.url).hostname.replace(/\.test$/, '');
    if (order !== null && request.headers.has('x-payment-receipt'))
      return `shows ${host} a receipt for ${order}`;
    if (order !== null) return `asks ${host} for ${order}`;
    if (operation !== 'x402Pay' && operation !== 'withdraw')
      return `bank: ${operation ?? new URL(request.url).pathname}`;
    const { amount, token, recipient } = await bodyOf(request.clone());
    const key = request.headers.get('idempotency-key');
    const under = key === null ? 'without a key' : `under key ${this.#numberOf(key)}`;
    const sum = `${String(amount)} ${String(token)}`;
    if (operation === 'withdraw') return `withdraws ${sum} ${under}`;
    return `pays ${sum} to ${this.#nameOf(recipient)} ${under}`;
  }

  async #responseText(response: Response): Promise<string> {
    const { status } = response;
    if (status >= 300 && status < 400) return `${status} to ${response.headers.get('location') ?? 'nowhere'}`;
    if (response.ok) return String(status);
    const header = response.headers.get('x-payment-request');
    const { code, details } = (await bodyOf(response)) as { code?: string; details?: Json };
    const state = typeof details?.['status'] === 'string' ? ` (${details['status']})` : '';
    const refusal = `${status}${code === undefined ? '' : ` ${code}`}${state}`;
    return header === null ? refusal : `${refusal}: ${this.#asked(header)}`;
  }

  #asked(header: string): string {
    const request = decodeRequest(header);
    if (request === null) return 'an unreadable payment request';
    return `${request.amount} ${request.token} to ${this.#nameOf(request.recipient)}`;
  }

  /** Numbers keys in order of appearance, since a reader only needs to see which are equal. */
  #numberOf(key: string): number {
    if (!this.#keys.includes(key)) this.#keys.push(key);
    return this.#keys.indexOf(key) + 1;
  }

  #nameOf(address: unknown): string {
    const { sellers, stranger } = this.#world;
    const known = [...sellers, stranger].find((keeper) => keeper.address === address);
    return known?.name ?? String(address);
  }
}
