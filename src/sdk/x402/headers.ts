/** Longer header values are rejected unread: a receipt has some 900 characters, a signed transaction some 2,500. */
export const MAX_HEADER_CHARACTERS = 16_384;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a header: an object as JSON in UTF-8 in padded standard base64. Null for anything else, including equivalent encodings, so that
 * equal objects have equal headers.
 */
export function objectIn(header: string): Readonly<Record<string, unknown>> | null {
  if (header.length > MAX_HEADER_CHARACTERS) return null;
  const bytes = Buffer.from(header, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== header) return null;
  try {
    const value: unknown = JSON.parse(UTF8.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
