import { createHmac } from 'node:crypto';

/** What a bearer token says. Times in seconds since 1970. */
export interface TokenClaims {
  /** The wallet. */
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

/**
 * A JWT of HS256 (RFC 7519). Libraries sign on another thread, whose end nobody can foretell: two agents that sign in at once would
 * be answered now in one order and now in the other.
 */
export function tokenOf(claims: TokenClaims, secret: Uint8Array): string {
  const signed = `${HEADER}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
