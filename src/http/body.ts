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

/** The JSON in a text; refuses invalid_json. */
export function parseJson(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    return refuse('invalid_json', { reason: (error as Error).message });
  }
}
