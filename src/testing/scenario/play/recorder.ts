import type { Exchange } from '../results.js';
import type { Outcome } from '../outcome.js';
import type { FetchLike } from '../target.js';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as shown in reports; undefined for none. */
  readonly body?: unknown;
  /** The body as sent; by default, the JSON of `body`. */
  readonly text?: string;
}

function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The message of an error, including its causes. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error.message + cause;
}

type Begun = Pick<Exchange, 'to' | 'method' | 'path' | 'requestHeaders' | 'requestBody'>;

/** Records every request of a step and its response. */
export class Recorder {
  readonly exchanges: Exchange[] = [];

  /** Makes a request. A lost response is an outcome, not a rejection. */
  async ask(fetcher: FetchLike, to: Exchange['to'], asked: Asked): Promise<Outcome> {
    const { method, url, headers, body } = asked;
    const text = asked.text ?? (body === undefined ? undefined : JSON.stringify(body));
    const from = performance.now();
    const begun = { to, method, path: pathOf(url), requestHeaders: headers, requestBody: body ?? null };
    try {
      const response = await fetcher(url, { method, headers, ...(text === undefined ? {} : { body: text }) });
      const exchange = this.#responded(begun, response, await response.text(), from);
      return {
        status: response.status,
        get headers() {
          return exchange.responseHeaders;
        },
        body: exchange.responseBody,
        isOk: response.ok,
        lost: null,
      };
    } catch (error) {
      return { status: null, headers: {}, body: null, isOk: false, lost: this.#lost(begun, error, from) };
    }
  }

  /** A recording `fetch` for another client. */
  listening(fetcher: FetchLike, to: Exchange['to']): FetchLike {
    return async (url, init = {}) => {
      const from = performance.now();
      const begun = {
        to,
        method: init.method ?? 'GET',
        path: pathOf(url),
        requestHeaders: Object.fromEntries(new Headers(init.headers)),
        requestBody: typeof init.body === 'string' ? parsed(init.body) : null,
      };
      try {
        const response = await fetcher(url, init);
        this.#responded(begun, response, await response.clone().text(), from);
        return response;
      } catch (error) {
        this.#lost(begun, error, from);
        throw error;
      }
    };
  }

  #responded(begun: Begun, response: Response, text: string, from: number): Exchange {
    const exchange: Exchange = {
      ...begun,
      status: response.status,
      // Lazy: reading headers takes as long as some checks.
      get responseHeaders() {
        return Object.fromEntries(response.headers);
      },
      responseBody: parsed(text),
      problem: null,
      ms: performance.now() - from,
    };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Describes why there is no response. */
  #lost(begun: Begun, error: unknown, from: number): string {
    const problem = wordsOf(error);
    const nothing = { status: null, responseHeaders: {}, responseBody: null };
    this.exchanges.push({ ...begun, ...nothing, problem, ms: performance.now() - from });
    return problem;
  }
}
