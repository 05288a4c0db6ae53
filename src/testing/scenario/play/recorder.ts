import type { Exchange } from '../results.js';
import type { Outcome } from '../outcome.js';
import type { FetchLike } from '../../../core/fetch.js';

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

/** What was sent: as text where parsing would lose something, such as digits or a member that is there twice. */
function sentValue(text: string): unknown {
  const value = parsed(text);
  return JSON.stringify(value) === text ? value : text;
}

function headersOf({ headers = {} }: RequestInit): Record<string, string> {
  return headers instanceof Headers ? Object.fromEntries(headers) : (headers as Record<string, string>);
}

/** The message of an error, including its causes. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error.message + cause;
}

export class Recorder {
  readonly exchanges: Exchange[] = [];

  /** Makes a request. A lost response is an outcome, not a rejection. */
  async ask(fetcher: FetchLike, to: Exchange['to'], url: string, init: RequestInit): Promise<Outcome> {
    try {
      const { response, exchange } = await this.#exchanged(fetcher, to, url, init, (whole) => whole.text());
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
      return { status: null, headers: {}, body: null, isOk: false, lost: wordsOf(error) };
    }
  }

  /** A recording `fetch` for another client. */
  listening(fetcher: FetchLike, to: Exchange['to']): FetchLike {
    return async (url, init = {}) =>
      (await this.#exchanged(fetcher, to, url, init, (shared) => shared.clone().text())).response;
  }

  async #exchanged(
    fetcher: FetchLike,
    to: Exchange['to'],
    url: string,
    init: RequestInit,
    textOf: (response: Response) => Promise<string>,
  ) {
    const from = performance.now();
    const { method = 'GET', body } = init;
    const request = {
      to,
      method,
      path: pathOf(url),
      requestHeaders: headersOf(init),
      requestBody: typeof body === 'string' ? sentValue(body) : null,
    };
    try {
      const response = await fetcher(url, init);
      const exchange: Exchange = {
        ...request,
        status: response.status,
        // Lazy: reading headers takes as long as some checks.
        get responseHeaders() {
          return Object.fromEntries(response.headers);
        },
        responseBody: parsed(await textOf(response)),
        problem: null,
        ms: performance.now() - from,
      };
      this.exchanges.push(exchange);
      return { response, exchange };
    } catch (error) {
      const nothing = { status: null, responseHeaders: {}, responseBody: null };
      this.exchanges.push({
        ...request,
        ...nothing,
        problem: wordsOf(error),
        ms: performance.now() - from,
      });
      throw error;
    }
  }
}
