import { isObject } from '../../../core/json.js';
import type { Answer } from '../model/types.js';

/** Codes of a token that was sent and is refused; others of 401 are of calls without one. Source: RFC 6750, 3.1. */
const REFUSED_TOKEN: ReadonlySet<unknown> = new Set(['invalid_token', 'token_expired']);

/** What is wrong with the headers of an answer; null for nothing, and for an answer without any. */
export function headerFlaw({ status, body, headers }: Answer): string | null {
  if (headers === undefined) return null;
  const { code, requestId } = isObject(body) ? body : {};
  const id = headers['x-request-id'] ?? '';
  const challenge = headers['www-authenticate'];
  const says = (name: string, value: string | undefined) =>
    `the header ${name} of ${status} is ${value ?? 'missing'}`;
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    return says('content-type', headers['content-type']);
  if (!id.startsWith('req_') || (status !== 200 && id !== requestId)) return says('x-request-id', id);
  if ((challenge !== undefined) !== (status === 401)) return says('www-authenticate', challenge);
  if (challenge === undefined) return null;
  const isRefused = /^Bearer realm="[^"]+", error="invalid_token"$/.test(challenge);
  const isNone = /^Bearer realm="[^"]+"$/.test(challenge);
  return (REFUSED_TOKEN.has(code) ? isRefused : isNone) ? null : says('www-authenticate', challenge);
}
