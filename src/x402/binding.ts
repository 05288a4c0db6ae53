import { createHash } from 'node:crypto';
import { type Checked, passed, refused } from './refusals.js';

/** What a payment is for. */
export interface Resource {
  /** The address that payers know it by. */
  readonly url: string;
  /** Names this very request: method, address and body. */
  readonly fingerprint: string;
}

/** The body of a request, which can be read again; null when it is larger than `maxBytes`. */
export async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) return null;
  // Whoever serves the request reads the body too, so a clone is read here.
  const { body } = request.clone();
  if (body === null) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      // Not awaited: half of a clone is cancelled only when the other half is.
      void reader.cancel();
      return null;
    }
    parts.push(value);
  }
  return Buffer.concat(parts);
}

/** The name of a request: the same for the same method, address and body. */
export function fingerprintOf(method: string, url: string, body: Uint8Array | null): string {
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  if (body !== null) hash.update(body);
  return hash.digest('base64url');
}

/**
 * What a request is for. A payment for one body does not buy the answer to another. `origin` is where payers find the service;
 * null takes the request's own, which its sender chooses by the Host header. Refuses `body_too_large`.
 */
export async function resourceOf(
  request: Request,
  options: { readonly origin: string | null; readonly maxBodyBytes: number },
): Promise<Checked<Resource>> {
  const { origin, pathname, search } = new URL(request.url);
  const url = `${options.origin ?? origin}${pathname}${search}`;
  const isBodiless = request.method === 'GET' || request.method === 'HEAD';
  const body = isBodiless ? null : await bodyOf(request, options.maxBodyBytes);
  if (body === null && !isBodiless) return refused('body_too_large', { max_bytes: options.maxBodyBytes });
  return passed({ url, fingerprint: fingerprintOf(request.method, url, body) });
}
