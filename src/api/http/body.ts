import { readBody, textOf } from '../../core/request-body.js';
import { type Result, ok, refuse } from '../../core/domain/result.js';
import { parseJson } from '../../core/json.js';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The text of a request's body; refuses payload_too_large and, when the client disconnected before the end, invalid_json. */
export async function readText(request: Request): Promise<Result<string>> {
  const body = await readBody(request, MAX_BODY_BYTES);
  switch (body.kind) {
    case 'read':
      return ok(textOf(body.bytes));
    case 'too_large':
    case 'busy':
      return refuse('payload_too_large', { max_bytes: MAX_BODY_BYTES });
    case 'broken_off':
      return refuse('invalid_json', { reason: 'the body ended before it was complete' });
  }
}

// A lone surrogate can only come from an escape, since the text itself was UTF-8.
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isWellFormed(name) && isWellFormed(member));
}

/** Parses the text of a body; refuses invalid_json, also for strings that are not valid Unicode (RFC 8785 cannot sign them). */
export function parseBody(text: string): Result<unknown> {
  try {
    const value = parseJson(text);
    if (ESCAPED_SURROGATE.test(text) && !isWellFormed(value)) {
      return refuse('invalid_json', { reason: 'a string contains half of a surrogate pair' });
    }
    return ok(value);
  } catch (error) {
    return refuse('invalid_json', { reason: (error as Error).message });
  }
}
