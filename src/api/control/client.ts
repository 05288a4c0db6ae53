import type { z } from 'zod';
import { COMMANDS, CONTROL_PATH, type Command, type CommandId } from './commands.js';
import { suggestion } from '../../core/suggestion.js';
import { fetchFrom } from '../../core/fetch.js';
import { filledPath, hasId } from '../../contract/match-path.js';

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

/** The input of a schema; nothing for the schema of all values, which commands without input have. */
type InputOf<S> = S extends z.ZodType ? (z.ZodType extends S ? undefined : z.input<S>) : undefined;
export type BodyOf<I extends CommandId> = InputOf<Exclude<(typeof COMMANDS)[I]['body'], undefined>>;
export type QueryOf<I extends CommandId> = InputOf<Exclude<(typeof COMMANDS)[I]['query'], undefined>>;
export type AnswerOf<I extends CommandId> = Awaited<ReturnType<(typeof COMMANDS)[I]['run']>>;

/** The input of a command: its body, its query, and the id in its path. */
export interface Ask<I extends CommandId> {
  readonly body?: BodyOf<I>;
  readonly query?: QueryOf<I>;
  /** The body of a command that takes bytes. */
  readonly bytes?: Uint8Array;
  readonly id?: string;
  /** Closes the connection when aborted; an advance then stops at the instant reached. */
  readonly signal?: AbortSignal | undefined;
}

/** The request body of a command, with its content type. */
function bodyOf(
  { takes, body }: Command,
  ask: { readonly body?: unknown; readonly bytes?: Uint8Array },
): Pick<RequestInit, 'headers' | 'body'> {
  if (takes === 'bytes') {
    const bytes = (ask.bytes ?? new Uint8Array(0)) as Uint8Array<ArrayBuffer>;
    return { headers: { 'content-type': 'application/octet-stream' }, body: bytes };
  }
  if (body === undefined) return {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(ask.body ?? {}) };
}

/** Throws TypeError for input that the command does not take. */
function checkInput(name: string, command: Command, ask: object): void {
  const { takes, body, query, path } = command;
  const uses = [
    ...(takes === 'bytes' ? ['bytes'] : []),
    ...(body === undefined ? [] : ['body']),
    ...(query === undefined ? [] : ['query']),
    ...(hasId(path) ? ['id'] : []),
    'signal',
  ];
  const unused = Object.entries(ask).find(([member, value]) => value !== undefined && !uses.includes(member));
  if (unused === undefined) return;
  const where = body === undefined ? '' : '; put members of the request in body';
  throw new TypeError(`${name} takes ${uses.join(', ')}, and not ${unused[0]}${where}`);
}

/** `fetch` or a substitute. */
export type ControlFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A typed client of the control interface. */
export class ControlClient {
  readonly #world: string;
  readonly #token: string | null;
  readonly #fetch: ControlFetch;

  /** `origin` is the API's scheme, host and port, or its base URL; a fork's includes `/w/{id}`. */
  constructor(options: { origin: string; token?: string | undefined; fetch?: ControlFetch }) {
    const { origin, pathname } = new URL(options.origin);
    this.#world = origin + (/^\/w\/[^/]+/.exec(pathname)?.[0] ?? '');
    this.#token = options.token ?? null;
    this.#fetch = options.fetch ?? fetchFrom;
  }

  /** A client with its `fetch` wrapped, for example to observe requests. */
  through(wrap: (fetcher: ControlFetch) => ControlFetch): ControlClient {
    const token = this.#token ?? undefined;
    return new ControlClient({ origin: this.#world, token, fetch: wrap(this.#fetch) });
  }

  /**
   * Runs a command. Rejects with ControlError, TypeError for input that the command does not take, fetch's error when the server is
   * unreachable, or the signal's reason.
   */
  async do<I extends CommandId>(command: I, ask: Ask<I> = {}): Promise<AnswerOf<I>> {
    if (!Object.hasOwn(COMMANDS, command))
      throw new TypeError(`there is no command ${command}${suggestion(command, Object.keys(COMMANDS))}`);
    const { method, path, gives } = COMMANDS[command] as Command;
    checkInput(command, COMMANDS[command], ask);
    const target = filledPath(path, encodeURIComponent(ask.id ?? ''), ask.query);
    const response = await this.#request(target, {
      method,
      ...bodyOf(COMMANDS[command], ask),
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
    });
    if (gives === 'bytes') return new Uint8Array(await response.arrayBuffer()) as unknown as AnswerOf<I>;
    return (await response.json()) as AnswerOf<I>;
  }

  /** @internal Opens the stream of events, with the events after number `after` or only new ones. Rejects as `do` does. */
  async eventStream(signal: AbortSignal, after?: number): Promise<Response> {
    return this.#request(filledPath('/events/stream', '', { after }), { signal });
  }

  async #request(target: string, { headers, ...init }: RequestInit): Promise<Response> {
    const authorization = this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
    const response = await this.#fetch(this.#world + CONTROL_PATH + target, {
      ...init,
      headers: { ...(headers as Record<string, string> | undefined), ...authorization },
    });
    if (response.ok) return response;
    const { error, code } = (await response.json()) as { error?: string; code?: string };
    throw new ControlError(error ?? 'refused without a message', code ?? 'unknown', response.status);
  }
}
