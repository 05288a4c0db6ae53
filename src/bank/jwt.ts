import { createHmac, timingSafeEqual } from 'node:crypto';

/** The claims of a bearer token. Times in seconds since 1970. */
export interface TokenClaims {
  readonly sub: string;
  /** The token's id. */
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}

const HEADER = part({ alg: 'HS256', typ: 'JWT' });

function signatureOf(signed: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/**
 * An HS256 JWT (RFC 7519). Libraries sign on another thread, which finishes at an unpredictable time: the order of the
 * responses to two simultaneous sign-ins would vary.
 */
export function tokenOf(claims: TokenClaims, secret: Uint8Array): string {
  const signed = `${HEADER}.${part(claims)}`;
  return `${signed}.${signatureOf(signed, secret)}`;
}

/** The claims of a token that `tokenOf` issued with this secret; null for any other text. */
export function claimsOf(token: string, secret: Uint8Array): TokenClaims | null {
  const [, claims = ''] = token.split('.');
  const signed = `${HEADER}.${claims}`;
  const [issued, given] = [Buffer.from(`${signed}.${signatureOf(signed, secret)}`), Buffer.from(token)];
  if (issued.length !== given.length || !timingSafeEqual(issued, given)) return null;
  return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as TokenClaims;
}
