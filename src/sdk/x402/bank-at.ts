import { filledPath } from '../../contract/match-path.js';
import { type FetchLike, trimmedUrl } from '../../core/fetch.js';
import type { Collector, Maybe, RequestedPayment } from './ports.js';

/** A refusal by a bank; `code` is null when the response had no error code. */
export class BankRefusal extends Error {
  override readonly name = 'BankRefusal';

  constructor(
    message: string,
    readonly code: string | null,
    readonly status: number,
  ) {
    super(message);
  }
}

async function answerOf(response: Response): Promise<unknown> {
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const { error, code } = (answer ?? {}) as { error?: string; code?: string };
  throw new BankRefusal(error ?? `the bank returned ${response.status}`, code ?? null, response.status);
}

/**
 * A bank by its base URL, such as `https://bank.example/api/v1`, and a bearer token of the service's account. If `token` is a function, it
 * is called for each call, since tokens expire after a day. Calls throw BankRefusal, or what `fetch` throws.
 */
export function bankAt(
  baseUrl: string,
  token: string | (() => Maybe<string>),
  fetcher?: FetchLike,
): Collector {
  const base = trimmedUrl('baseUrl', baseUrl);
  const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const bearer = typeof token === 'string' ? token : await token();
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    return answerOf(await (fetcher ?? fetch)(base + path, { ...init, headers }));
  };
  return {
    requestPayment: async (query) =>
      (await call(filledPath('/agent/account/x402/request', '', query))) as RequestedPayment,
    receive: (body) => call('/agent/account/x402/receive', { method: 'POST', body: JSON.stringify(body) }),
  };
}

/** A bank's receipt-signing key, from its page `{base_url}/docs`. Throws BankRefusal; RangeError when the page does not contain it. */
export async function receiptIssuerOf(baseUrl: string, fetcher: FetchLike = fetch): Promise<string> {
  const docs = await answerOf(await fetcher(`${trimmedUrl('baseUrl', baseUrl)}/docs`));
  const issuer = (docs as { receipt_issuer?: unknown } | null)?.receipt_issuer;
  if (typeof issuer === 'string') return issuer;
  throw new RangeError(
    `${baseUrl}/docs does not contain receipt_issuer; ask the bank's operator for its key`,
  );
}
