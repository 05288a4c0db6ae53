import { createHash } from 'node:crypto';
import { readBody } from '../../core/request-body.js';
import { type Checked, passed, refused } from './refusals.js';

export interface Resource {
  /** The URL as known to payers. */
  readonly url: string;
  /** Identifies this exact request: method, URL and body. */
  readonly fingerprint: string;
}

/** Hash of a request's method, URL and body. */
export function fingerprintOf(method: string, url: string, body: Uint8Array | null): string {
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  if (body !== null) hash.update(body);
  return hash.digest('base64url');
}

/**
 * The resource of a request, including its body, so that a payment for one body does not buy the response to another. `origin` is where
 * payers reach the service; null uses the request's own origin, which its sender chooses by the Host header. Refuses `body_too_large` and
 * `body_broken_off`.
 */
export async function resourceOf(
  request: Request,
  options: { readonly origin: string | null; readonly maxBodyBytes: number },
): Promise<Checked<Resource>> {
  const { origin, pathname, search } = new URL(request.url);
  const url = `${options.origin ?? origin}${pathname}${search}`;
  if (request.method === 'GET' || request.method === 'HEAD')
    return passed({ url, fingerprint: fingerprintOf(request.method, url, null) });
  // The handler reads the body too, so a clone is read here.
  const body = await readBody(request.clone(), options.maxBodyBytes);
  switch (body.kind) {
    case 'read':
      return passed({ url, fingerprint: fingerprintOf(request.method, url, body.bytes) });
    case 'too_large':
    case 'busy':
      return refused('body_too_large', { max_bytes: options.maxBodyBytes });
    case 'broken_off':
      return refused('body_broken_off', {});
  }
}
