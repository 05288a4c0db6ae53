/** Characters that are read of a response, after decompression. */
const MAX_CHARACTERS = 100_000;

/** The text of a response, or its beginning. A service sends what it likes, and compresses it a thousandfold: the rest is not read. */
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

/** The JSON in a response; null for none, for an invalid one, and for one that is too long or broken off. */
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
