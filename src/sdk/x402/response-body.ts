/** The most characters to read of a response, after decompression. */
const MAX_CHARACTERS = 100_000;

/** The text of a response, or its beginning. The rest is not read, since a service may send any amount, compressed a thousandfold. */
export async function limitedText(response: Response): Promise<{ text: string; isTruncated: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_CHARACTERS) return { text: text.slice(0, MAX_CHARACTERS), isTruncated: true };
  }
  return { text: text + decoder.decode(), isTruncated: false };
}

/** The JSON in a response; null when it is missing, invalid, too long or incomplete. */
export async function limitedJson(response: Response): Promise<unknown> {
  try {
    const { text, isTruncated } = await limitedText(response);
    return isTruncated ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** Statuses with which a server or a proxy turns a request away before the service handles it. */
export const TURNED_AWAY: ReadonlySet<number> = new Set([408, 413, 425, 429, 431]);

/**
 * Makes a call that gives up when no response has begun after `ms`. Its body may take longer; the body of a 402 may not,
 * since only the paying client reads it.
 */
export async function responseWithin(
  ms: number,
  given: AbortSignal | null,
  call: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  const reason = new DOMException(`no response within ${ms} ms`, 'TimeoutError');
  const timer = setTimeout(() => late.abort(reason), ms).unref();
  const response = await call(given === null ? late.signal : AbortSignal.any([given, late.signal]));
  if (response.status !== 402) clearTimeout(timer);
  return response;
}

/** A response that, when its body breaks off while it is read, fails with what `onBreak` returns. */
export function withBreak(response: Response, onBreak: (cause: unknown) => Promise<Error>): Response {
  if (response.body === null) return response;
  const { status, statusText, headers, url, redirected } = response;
  // Asked of the response, which must live until it is read: when it is collected, `fetch` cancels a body that nothing reads.
  const given = () => response.body as ReadableStream<Uint8Array>;
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        reader ??= given().getReader();
        const { done, value } = await reader.read().catch(async (cause: unknown) => {
          throw await onBreak(cause);
        });
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async (reason) => (reader ?? given()).cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected } });
}

/** Ends a response whose body is not needed. */
export function discard({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}
