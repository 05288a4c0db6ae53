import { createHmac, timingSafeEqual } from 'node:crypto';
import bs58 from 'bs58';
import { ed25519Verifier, type SignatureVerifier } from '../chain/signatures.js';
import { SECOND_MS, isoOf } from '../core/domain/calendar.js';
import { isSignature, parseWallet } from '../core/domain/inputs.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { type TtlMap, nothing, getLive, setWithTtl } from '../core/ttl-map.js';
import { type TokenClaims, claimsOf, tokenOf } from './jwt.js';
import type { BankChangeListener } from './in-flight-work.js';

/** How long challenges and tokens are valid, in seconds. */
export interface AuthLifetimes {
  readonly challengeSeconds: number;
  readonly tokenSeconds: number;
}

const VERIFIED_LIMIT = 10_000;
const CHALLENGE =
  /^agent-bank-sim wants you to sign in with your Solana wallet\.\nWallet: (\S+)\nNonce: (\d+)-([0-9a-f]{32})\nIssued At: (\S+)\nExpires At: (\S+)$/;

/** Authentication state at one instant, as a value. */
export interface AuthSnapshot {
  readonly issued: number;
  readonly used: TtlMap<true>;
}

/**
 * Authentication by challenges and tokens. A challenge is self-authenticating (an HMAC over all of its contents), so
 * issuing challenges costs no memory; only used challenges are stored, until they expire.
 */
export class Auth {
  readonly #secret: Uint8Array;
  readonly #lifetimes: AuthLifetimes;
  readonly #signatures: SignatureVerifier;
  readonly #verified = new Map<string, TokenClaims>();
  #issued = 0;
  #used: TtlMap<true> = nothing();
  /** Called with each challenge that is used. */
  onChange: BankChangeListener = () => undefined;

  constructor(secret: Uint8Array, lifetimes: AuthLifetimes, signatures: SignatureVerifier = ed25519Verifier) {
    this.#secret = secret;
    this.#lifetimes = lifetimes;
    this.#signatures = signatures;
  }

  /** A challenge for a wallet to sign; refuses `invalid_wallet`. */
  challenge(wallet: string, nowMs: number): Result<{ challenge: string; expiresIn: number }> {
    const parsed = parseWallet(wallet);
    if (!parsed.ok) return parsed;
    this.#issued += 1;
    return ok({
      challenge: this.#text(wallet, this.#issued, nowMs),
      expiresIn: this.#lifetimes.challengeSeconds,
    });
  }

  /**
   * Verifies a signed challenge and uses it up.
   * Refusals in this order: invalid_wallet, challenge_unknown, challenge_expired, challenge_used, invalid_signature.
   */
  prove(input: { wallet: string; signature: string; message: string }, nowMs: number): Result<void> {
    const { wallet, signature, message } = input;
    const parsed = parseWallet(wallet);
    if (!parsed.ok) return parsed;
    const [, named, counter, , issuedAt] = CHALLENGE.exec(message) ?? [];
    const issuedMs = Date.parse(issuedAt ?? '');
    if (
      named !== wallet ||
      Number.isNaN(issuedMs) ||
      !this.#isOurs(message, wallet, Number(counter), issuedMs)
    ) {
      return refuse('challenge_unknown');
    }
    const expiresMs = issuedMs + this.#lifetimes.challengeSeconds * SECOND_MS;
    if (nowMs >= expiresMs)
      return refuse('challenge_expired', { expired_at: isoOf(expiresMs), now: isoOf(nowMs) });
    if (getLive(this.#used, message, nowMs) === true) return refuse('challenge_used');
    const bytes = isSignature(signature) ? bs58.decode(signature) : null;
    if (bytes === null || !this.#signatures.ofMessage(wallet, Buffer.from(message, 'utf8'), bytes)) {
      return refuse('invalid_signature', {
        expected: 'Base58 of the ed25519 signature over the UTF-8 bytes of the challenge',
      });
    }
    this.#used = setWithTtl(this.#used, message, { value: true, expiresMs }, nowMs);
    this.onChange('used', { key: message, expiresMs, nowMs });
    return ok(undefined);
  }

  issueToken(wallet: string, tokenId: string, nowMs: number): string {
    const issuedSeconds = Math.floor(nowMs / SECOND_MS);
    const exp = issuedSeconds + this.#lifetimes.tokenSeconds;
    const claims = { sub: wallet, jti: tokenId, iat: issuedSeconds, exp };
    return tokenOf(claims, this.#secret);
  }

  /** The wallet authenticated by an Authorization header; refuses missing_token, invalid_token, token_expired. */
  authenticate(header: string | undefined, nowMs: number): Result<string> {
    if (header === undefined || header === '') return refuse('missing_token');
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (token === undefined) {
      return refuse('invalid_token', undefined, 'The Authorization header must read "Bearer <token>".');
    }
    const claims = this.#claimsOf(token);
    if (claims === null) return refuse('invalid_token');
    const expiresMs = claims.exp * SECOND_MS;
    if (nowMs < expiresMs) return ok(claims.sub);
    return refuse('token_expired', { expired_at: isoOf(expiresMs), now: isoOf(nowMs) });
  }

  snapshot(): AuthSnapshot {
    return { issued: this.#issued, used: this.#used };
  }

  restore(snapshot: AuthSnapshot): void {
    this.#issued = snapshot.issued;
    this.#used = snapshot.used;
  }

  /** The claims of a valid token, which are cached, so that it is verified only once; null for any other text. */
  #claimsOf(token: string): TokenClaims | null {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const claims = claimsOf(token, this.#secret);
    if (claims === null) return null;
    if (this.#verified.size >= VERIFIED_LIMIT) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }

  #text(wallet: string, counter: number, issuedMs: number): string {
    const issued = isoOf(issuedMs);
    const expires = isoOf(issuedMs + this.#lifetimes.challengeSeconds * SECOND_MS);
    const proof = createHmac('sha256', this.#secret)
      .update(`challenge/${wallet}/${counter}/${issued}`)
      .digest('hex')
      .slice(0, 32);
    return [
      'agent-bank-sim wants you to sign in with your Solana wallet.',
      `Wallet: ${wallet}`,
      `Nonce: ${counter}-${proof}`,
      `Issued At: ${issued}`,
      `Expires At: ${expires}`,
    ].join('\n');
  }

  #isOurs(message: string, wallet: string, counter: number, issuedMs: number): boolean {
    const expected = Buffer.from(this.#text(wallet, counter, issuedMs));
    const given = Buffer.from(message);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}
