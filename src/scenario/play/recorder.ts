import type { Exchange } from '../results.js';
import type { Outcome } from '../outcome.js';
import type { FetchLike } from '../target.js';

/** A request as a step makes it. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What stands for the body in reports; undefined for none. */
  readonly body?: unknown;
  /** As it goes over the wire; the JSON of `body` when left out. */
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

/** The words of an error and of what caused it. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error.message + cause;
}

/** Keeps every request of a step and its answer. */
export class Recorder {
  readonly exchanges: Exchange[] = [];

  /** Makes a request; never rejects for an answer that does not come. */
  async ask(fetcher: FetchLike, to: Exchange['to'], asked: Asked): Promise<Outcome> {
    const { method, url, headers, body } = asked;
    const text = asked.text ?? (body === undefined ? undefined : JSON.stringify(body));
    const from = performance.now();
    const base = { to, method, path: pathOf(url), requestHeaders: headers, requestBody: body ?? null };
    try {
      const response = await fetcher(url, { method, headers, ...(text === undefined ? {} : { body: text }) });
      const answer = parsed(await response.text());
      const { status, ok: isOk } = response;
      const ms = performance.now() - from;
      const exchange: Exchange = {
        ...base,
        status,
        // Read when somebody looks at them: reading them takes as long as many a check.
        get responseHeaders() {
          return Object.fromEntries(response.headers);
        },
        responseBody: answer,
        problem: null,
        ms,
      };
      this.exchanges.push(exchange);
      return {
        status,
        get headers() {
          return exchange.responseHeaders;
        },
        body: answer,
        isOk,
        lost: null,
      };
    } catch (error) {
      const problem = wordsOf(error);
      const ms = performance.now() - from;
      this.exchanges.push({ ...base, status: null, responseHeaders: {}, responseBody: null, problem, ms });
      return { status: null, headers: {}, body: null, isOk: false, lost: problem };
    }
  }

  /** A `fetch` for a client of its own, whose requests are kept too. */
  listening(fetcher: FetchLike, to: Exchange['to']): FetchLike {
    return async (url, init = {}) => {
      const from = performance.now();
      const sent = typeof init.body === 'string' ? parsed(init.body) : null;
      const base = {
        to,
        method: init.method ?? 'GET',
        path: pathOf(url),
        requestHeaders: Object.fromEntries(new Headers(init.headers)),
        requestBody: sent,
      };
      try {
        const response = await fetcher(url, init);
        const { status } = response;
        const responseBody = parsed(await response.clone().text());
        const responseHeaders = Object.fromEntries(response.headers);
        const ms = performance.now() - from;
        this.exchanges.push({ ...base, status, responseHeaders, responseBody, problem: null, ms });
        return response;
      } catch (error) {
        const problem = wordsOf(error);
        const ms = performance.now() - from;
        this.exchanges.push({ ...base, status: null, responseHeaders: {}, responseBody: null, problem, ms });
        throw error;
      }
    };
  }
}
