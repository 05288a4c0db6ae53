/** The result of reading a request body: its bytes, or the reason for their absence. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  /** Larger than the limit. The rest is discarded; the server drains a short rest, otherwise it closes the connection. */
  | { readonly kind: 'too_large' }
  /** All bodies that are being received are too large together. */
  | { readonly kind: 'busy' }
  /** The sender disconnected before the end. */
  | { readonly kind: 'broken_off' };

const TOO_LARGE: ReadBody = { kind: 'too_large' };
const BROKEN_OFF: ReadBody = { kind: 'broken_off' };
const BUSY: ReadBody = { kind: 'busy' };

/** The size up to which a body does not count towards the budget; larger bodies are states, recordings and the like. */
const FREE_BYTES = 1_024 * 1_024;

/** Bytes that all large bodies together may hold while they are being received. */
export class BodyBudget {
  readonly #maxBytes: number;
  #waitingBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that bodies hold now. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Reserves bytes for a body; false when too few are left. */
  take(bytes: number): boolean {
    if (this.#waitingBytes + bytes > this.#maxBytes) return false;
    this.#waitingBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#waitingBytes -= bytes;
  }
}

/** The budget of this process: two state files of the default limit. */
const BUDGET = new BodyBudget(1_024 * 1_024 * 1_024);

const DECODER = new TextDecoder();

/** The text of a body in UTF-8, without a leading byte order mark (RFC 8259, 8.1). */
export function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

async function collect(
  parts: AsyncIterable<Uint8Array>,
  declared: string | null | undefined,
  maxBytes: number,
  budget: BodyBudget,
): Promise<ReadBody> {
  if (Number(declared ?? 0) > maxBytes) return TOO_LARGE;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  try {
    for await (const part of parts) {
      size += part.byteLength;
      if (size > maxBytes) return TOO_LARGE;
      const wanted = Math.max(0, size - FREE_BYTES) - taken;
      if (!budget.take(wanted)) return BUSY;
      taken += wanted;
      chunks.push(part);
    }
  } catch {
    return BROKEN_OFF;
  } finally {
    budget.giveBack(taken);
  }
  return { kind: 'read', bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks) };
}

/** Reads a request body of at most `maxBytes`. A larger one leaves the stream open, to send the refusal. */
export async function readBody(request: Request, maxBytes: number, budget = BUDGET): Promise<ReadBody> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) <= Math.min(maxBytes, FREE_BYTES)) {
    // The HTTP parser enforces the declared length, and this path is the fastest.
    return request.arrayBuffer().then(
      (bytes): ReadBody => ({ kind: 'read', bytes: new Uint8Array(bytes) }),
      () => BROKEN_OFF,
    );
  }
  if (Number(declared ?? 0) > maxBytes) return TOO_LARGE;
  const { body } = request;
  if (body === null) return { kind: 'read', bytes: new Uint8Array(0) };
  return collect(body.values({ preventCancel: true }), declared, maxBytes, budget);
}
