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

/** Ends a response whose body is not needed. */
export function discard({ body }: Response): void {
  body?.cancel().catch(() => undefined);
}
