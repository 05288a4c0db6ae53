import type { Ask as ClientAsk, AnswerOf as Answer } from '../../api/control/client.js';
import type { CommandId } from '../../api/control/commands.js';
import { ROUTES } from '../../api/control/names.js';
import { queryText } from '../text/routes.js';

export type { Answer };

/** A refusal by the control interface; status 0 when the simulator cannot be reached. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    message: string,
    readonly code = 'unknown',
    readonly status = 0,
  ) {
    super(message);
  }
}

export interface Ask<I extends CommandId> extends Omit<ClientAsk<I>, 'bytes'> {
  readonly bytes?: Blob;
}

async function refusalOf(response: Response): Promise<Refused> {
  const told = (await response.json().catch(() => ({}))) as { error?: string; code?: string };
  const message = told.error ?? `The simulator returned status ${response.status}.`;
  return new Refused(message, told.code, response.status);
}

/** The control interface of the world that the page shows. Its token is held in memory only. */
export class Control {
  /** The path of the control interface: `/_sim/v1`, or a fork's, such as `/w/fork-1/_sim/v1`. */
  readonly base: string;
  token: string | null = null;
  onUnauthorized: () => void = () => undefined;
  onGone: () => void = () => undefined;

  /** `mount` is the prefix of the world: empty, or a fork's, such as `/w/fork-1`. */
  constructor(readonly mount: string) {
    this.base = `${mount}/_sim/v1`;
  }

  /** The control interface of another world of the same simulator. */
  of(mount: string): Control {
    const other = new Control(mount);
    other.token = this.token;
    return other;
  }

  /** Runs a command. Rejects with Refused, or an AbortError. */
  async do<I extends CommandId>(command: I, ask: Ask<I> = {}): Promise<Answer<I>> {
    return (await (await this.#send(command, ask)).json()) as Answer<I>;
  }

  async bytes<I extends 'exportState' | 'exportJournal'>(command: I, ask: Ask<I> = {}): Promise<Blob> {
    return (await this.#send(command, ask)).blob();
  }

  async stream(after: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#fetch(`/events/stream?after=${after}`, { signal });
    return body as ReadableStream<Uint8Array>;
  }

  #send<I extends CommandId>(command: I, { body, query, bytes, id = '', signal }: Ask<I>): Promise<Response> {
    const { method, path } = ROUTES[command];
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
    const target = path.replace('{id}', encodeURIComponent(id)) + queryText(Object.fromEntries(given));
    const init: RequestInit = { method, signal: signal ?? null };
    if (method !== 'POST') return this.#fetch(target, init);
    const [type, content] =
      bytes === undefined
        ? ['application/json', JSON.stringify(body ?? {})]
        : ['application/octet-stream', bytes];
    return this.#fetch(target, { ...init, headers: { 'content-type': type }, body: content });
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const authorization = this.token === null ? {} : { authorization: `Bearer ${this.token}` };
    const headers = { ...(init.headers as Record<string, string> | undefined), ...authorization };
    let response: Response;
    try {
      response = await fetch(this.base + path, { ...init, headers, cache: 'no-store' });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new Refused('The simulator cannot be reached.');
    }
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (response.status === 401) this.onUnauthorized();
    if (refusal.code !== 'fork_not_found') throw refusal;
    this.onGone();
    throw new Refused(refusal.message);
  }
}
