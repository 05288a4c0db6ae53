import { type Result, ok, refuse } from '../domain/result.js';

/** The largest request body. */
export const MAX_BODY_BYTES = 64 * 1024;

const tooLarge = () => refuse('payload_too_large', { max_bytes: MAX_BODY_BYTES });

/** The text of a request's body; refuses payload_too_large, reading no more than it must. */
export async function readText(request: Request): Promise<Result<string>> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > MAX_BODY_BYTES) return tooLarge();
  if (declared >= 0 || request.body === null) return ok(await request.text());
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      return tooLarge();
    }
    chunks.push(part.value);
  }
  return ok(Buffer.concat(chunks).toString('utf8'));
}

// Half of a surrogate pair can come by escape only, since the text itself was UTF-8.
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isWellFormed(name) && isWellFormed(member));
}

/** The JSON in a text; refuses invalid_json, also for text in it that no Unicode can say (RFC 8785 could not sign it). */
export function parseJson(text: string): Result<unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (ESCAPED_SURROGATE.test(text) && !isWellFormed(value)) {
      return refuse('invalid_json', { reason: 'a string holds half of a surrogate pair' });
    }
    return ok(value);
  } catch (error) {
    return refuse('invalid_json', { reason: (error as Error).message });
  }
}
