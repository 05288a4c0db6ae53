import type { IncomingMessage } from 'node:http';

/** What reading a request's body gave: its bytes, or why there are none. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  /** Larger than the limit. What follows is not kept; the server reads past the end of a short rest, else it ends the connection. */
  | { readonly kind: 'too_large' }
  /** The sender went away in the middle. */
  | { readonly kind: 'broken_off' };

const TOO_LARGE: ReadBody = { kind: 'too_large' };
const BROKEN_OFF: ReadBody = { kind: 'broken_off' };

async function collect(
  parts: AsyncIterable<Uint8Array>,
  declared: string | null | undefined,
  maxBytes: number,
): Promise<ReadBody> {
  if (Number(declared ?? 0) > maxBytes) return TOO_LARGE;
  const kept: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of parts) {
      size += part.byteLength;
      if (size > maxBytes) return TOO_LARGE;
      kept.push(part);
    }
  } catch {
    return BROKEN_OFF;
  }
  return { kind: 'read', bytes: kept.length === 1 ? (kept[0] as Uint8Array) : Buffer.concat(kept) };
}

/**
 * Reads the body of a request, at most `maxBytes` of it. The stream is left open when there is more, since ending it would end the
 * connection before the refusal is sent.
 */
export async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) <= maxBytes) {
    // The server's parser holds the sender to the length that it declared, and this way is the quickest.
    return request.arrayBuffer().then(
      (bytes): ReadBody => ({ kind: 'read', bytes: new Uint8Array(bytes) }),
      () => BROKEN_OFF,
    );
  }
  if (declared !== null) return TOO_LARGE;
  const { body } = request;
  if (body === null) return { kind: 'read', bytes: new Uint8Array(0) };
  return collect(body.values({ preventCancel: true }), declared, maxBytes);
}

/** Reads the body of a request of Node's own server, at most `maxBytes` of it. */
export function readIncoming(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  const parts = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return collect(parts, request.headers['content-length'], maxBytes);
}
