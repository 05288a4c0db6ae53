import type { z } from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import { parseExactJson } from '../../core/exact-json.js';
import { ChainUnreachable } from '../backend.js';

/** An error response of a node. The bank treats it as an unreachable chain unless it handles the code. */
export class RpcError extends ChainUnreachable {
  override readonly name = 'RpcError';

  constructor(
    message: string,
    readonly code: number,
    readonly data: unknown,
  ) {
    super(message, false);
  }
}

const TIMEOUT_MS = 10_000;

/** Pauses before a read is retried, and when a public node rate-limits. */
const RETRY_PAUSE_MS = 200;
const BUSY_PAUSE_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

/** The node is behind the slot that a read requires. */
const MIN_CONTEXT_SLOT_NOT_REACHED = -32_016;

// Connections that were never established: nothing has arrived.
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** An error of `fetch`: the system's code is in it, in its cause, or in what the cause collects. */
interface FetchError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly cause?: FetchError;
  readonly errors?: readonly FetchError[];
}

function codeOf({ name, message, code, cause }: FetchError): string {
  if (name === 'TimeoutError') return 'no response in time';
  const codes = [code, cause?.code, cause?.errors?.[0]?.code];
  const known = codes.find((each) => typeof each === 'string');
  return String(known ?? cause?.message ?? message);
}

/** A Solana node behind a URL: JSON-RPC over HTTP. */
export class RpcNode {
  /** The node's name in messages: without path and query, which may hold a key. */
  readonly name: string;
  readonly #url: string;
  readonly #fetch: typeof fetch | undefined;
  #requests = 0;

  constructor(url: string, fetcher?: typeof fetch) {
    this.#url = url;
    this.#fetch = fetcher;
    this.name = new URL(url).origin;
  }

  /** Sends a read; retried once when the node is unreachable, busy or behind. Throws ChainUnreachable, RpcError. */
  async read<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    try {
      return await this.send(method, params, schema);
    } catch (error) {
      const isBusy =
        error instanceof RpcError && [TOO_MANY_REQUESTS, MIN_CONTEXT_SLOT_NOT_REACHED].includes(error.code);
      if (!(error instanceof ChainUnreachable) || (error instanceof RpcError && !isBusy)) throw error;
      await pause(isBusy ? BUSY_PAUSE_MS : RETRY_PAUSE_MS);
      return this.send(method, params, schema);
    }
  }

  /** Sends one request. Throws ChainUnreachable, RpcError. */
  async send<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const { error, result } = await this.#post(method, params);
    if (error !== undefined && error !== null) {
      const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown };
      const text = `${this.name} refused ${method}: ${message ?? 'no reason given'}`;
      throw new RpcError(text, Number(code ?? 0), data);
    }
    const parsed = schema.safeParse(result);
    if (parsed.success) return parsed.data;
    throw this.#strange(`its response to ${method} is not Solana's`);
  }

  async #post(method: string, params: readonly unknown[]): Promise<{ error?: unknown; result?: unknown }> {
    this.#requests += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#requests, method, params });
    let status: number;
    let text: string;
    try {
      const response = await (this.#fetch ?? fetch)(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      ({ status } = response);
      text = await response.text();
    } catch (error) {
      const reason = codeOf(error as FetchError);
      throw new ChainUnreachable(
        `the cluster at ${this.name} cannot be reached (${reason})`,
        !NEVER_CONNECTED.has(reason),
      );
    }
    let answer: unknown;
    try {
      answer = parseExactJson(text, String).exact;
    } catch {
      throw this.#strange(`its response to ${method} is HTTP ${status} without JSON`);
    }
    if (typeof answer === 'object' && answer !== null && ('result' in answer || 'error' in answer)) {
      return answer;
    }
    throw this.#strange(`its response to ${method} is HTTP ${status} without JSON-RPC`);
  }

  #strange(what: string): ChainUnreachable {
    return new ChainUnreachable(`${this.name} does not behave like a Solana node: ${what}`, true);
  }
}
