/**
 * Milliseconds for which a connection without a request stays open. Clients reuse connections for some time (@solana/web3.js for 19 s); a
 * server that closes them earlier would occasionally cut off a request.
 */
export const KEEP_ALIVE_MS = 30_000;

export const NO_STORE = { 'cache-control': 'no-store' } as const;

/** The header that a 401 must have (RFC 9110, 11.6.1). It names the token as the reason only when one was sent (RFC 6750, 3). */
export function bearerChallenge(isTokenRefused: boolean): { readonly 'www-authenticate': string } {
  const reason = isTokenRefused ? ', error="invalid_token"' : '';
  return { 'www-authenticate': `Bearer realm="agent-bank-sim"${reason}` };
}

/** The headers that let a page read a response (CORS). `requested` are the request headers that its preflight asks for. */
export function corsHeaders(origin: string, requested: string | undefined): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, GET, OPTIONS',
    // Clients send headers of their own, such as solana-client.
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
    'access-control-expose-headers': 'Date, X-Request-Id, Retry-After, WWW-Authenticate',
    vary: 'Origin',
  };
}

/** Whether a request is a browser's for a page: its Accept header has HTML, and JSON only after it. */
export function wantsPage({ headers }: Request): boolean {
  return /^(?:(?!application\/json).)*\btext\/html\b/i.test(headers.get('accept') ?? '');
}
