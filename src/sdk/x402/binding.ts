import { createHash } from 'node:crypto';
import { readBody } from '../../core/request-body.js';
import { type Checked, passed, refused } from './refusals.js';

/** What a payment is for. */
export interface Resource {
  /** The address that payers know it by. */
  readonly url: string;
  /** Names this very request: method, address and body. */
  readonly fingerprint: string;
}

/** The name of a request: the same for the same method, address and body. */
export function fingerprintOf(method: string, url: string, body: Uint8Array | null): string {
  const hash = createHash('sha256').update(`${method} ${url}\n`);
  if (body !== null) hash.update(body);
  return hash.digest('base64url');
}

/**
 * What a request is for. A payment for one body does not buy the answer to another. `origin` is where payers find the service;
 * null takes the request's own, which its sender chooses by the Host header. Refuses `body_too_large` and `body_broken_off`.
 */
export async function resourceOf(
  request: Request,
  options: { readonly origin: string | null; readonly maxBodyBytes: number },
): Promise<Checked<Resource>> {
  const { origin, pathname, search } = new URL(request.url);
  const url = `${options.origin ?? origin}${pathname}${search}`;
  if (request.method === 'GET' || request.method === 'HEAD')
    return passed({ url, fingerprint: fingerprintOf(request.method, url, null) });
  // Whoever serves the request reads the body too, so a clone is read here.
  const body = await readBody(request.clone(), options.maxBodyBytes);
  switch (body.kind) {
    case 'read':
      return passed({ url, fingerprint: fingerprintOf(request.method, url, body.bytes) });
    case 'too_large':
      return refused('body_too_large', { max_bytes: options.maxBodyBytes });
    case 'broken_off':
      return refused('body_broken_off', {});
  }
}
