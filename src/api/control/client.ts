import type { z } from 'zod';
import { COMMANDS, CONTROL_PATH, type Command, type CommandId } from './commands.js';
import { filledPath } from '../../contract/match-path.js';

/** A refusal by the control interface. */
export class ControlError extends Error {
  override readonly name = 'ControlError';

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export type BodyOf<I extends CommandId> = (typeof COMMANDS)[I] extends { body?: infer B extends z.ZodType }
  ? z.input<B>
  : undefined;
export type QueryOf<I extends CommandId> = (typeof COMMANDS)[I] extends { query?: infer Q extends z.ZodType }
  ? z.input<Q>
  : undefined;
/** The response of a command. */
export type AnswerOf<I extends CommandId> = Awaited<ReturnType<(typeof COMMANDS)[I]['run']>>;

/** The input of a command: its body, its query, and the id in its path. */
export interface Ask<I extends CommandId> {
  readonly body?: BodyOf<I>;
  readonly query?: QueryOf<I>;
  /** The body of a command that takes bytes. */
  readonly bytes?: Uint8Array;
  readonly id?: string;
  /** Closes the connection when aborted; an advance then ends at the instant that it has reached. */
  readonly signal?: AbortSignal | undefined;
}

/** The request body of a command, and its content type. */
function bodyOf(
  { takes, body }: Command,
  ask: { readonly body?: unknown; readonly bytes?: Uint8Array },
): { type: string | null; body?: string | Uint8Array<ArrayBuffer> } {
  if (takes === 'bytes') {
    const bytes = (ask.bytes ?? new Uint8Array(0)) as Uint8Array<ArrayBuffer>;
    return { type: 'application/octet-stream', body: bytes };
  }
  return body === undefined
    ? { type: null }
    : { type: 'application/json', body: JSON.stringify(ask.body ?? {}) };
}

/** `fetch` or a substitute. */
export type ControlFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A typed client of the control interface. */
export class ControlClient {
  readonly #world: string;
  readonly #token: string | null;
  readonly #fetch: ControlFetch;

  /** `origin` is scheme, host and port of the API, or its base URL; for a fork, with its `/w/{id}`. */
  constructor(options: { origin: string; token?: string | undefined; fetch?: ControlFetch }) {
    const { origin, pathname } = new URL(options.origin);
    this.#world = origin + (/^\/w\/[^/]+/.exec(pathname)?.[0] ?? '');
    this.#token = options.token ?? null;
    this.#fetch = options.fetch ?? fetch;
  }

  /** A client with its `fetch` wrapped, for example to observe requests. */
  through(wrap: (fetcher: ControlFetch) => ControlFetch): ControlClient {
    const token = this.#token ?? undefined;
    return new ControlClient({ origin: this.#world, token, fetch: wrap(this.#fetch) });
  }

  /** Runs a command. Rejects with ControlError, fetch's error when the server is unreachable, or the reason of the signal. */
  async do<I extends CommandId>(command: I, ask: Ask<I> = {}): Promise<AnswerOf<I>> {
    const { method, path, gives } = COMMANDS[command] as Command;
    const { type, ...sent } = bodyOf(COMMANDS[command], ask);
    const init: RequestInit = {
      method,
      headers: {
        ...(type === null ? {} : { 'content-type': type }),
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      ...sent,
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
    };
    const target = this.#world + CONTROL_PATH + filledPath(path, encodeURIComponent(ask.id ?? ''));
    const query = new URLSearchParams();
    const given: Record<string, string | number | boolean | undefined> = ask.query ?? {};
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) query.set(name, String(value));
    }
    const response = await this.#fetch(query.size === 0 ? target : `${target}?${query.toString()}`, init);
    if (response.ok && gives === 'bytes')
      return new Uint8Array(await response.arrayBuffer()) as unknown as AnswerOf<I>;
    const answer = (await response.json()) as { error?: string; code?: string };
    if (!response.ok) {
      throw new ControlError(
        answer.error ?? 'refused without a reason',
        answer.code ?? 'unknown',
        response.status,
      );
    }
    return answer as AnswerOf<I>;
  }
}
