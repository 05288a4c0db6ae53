import { type KeyObject, createPublicKey, verify as verifySignature } from 'node:crypto';
import bs58 from 'bs58';
import { iso } from './amounts.js';
import type { Books } from './books.js';
import { SOME_TEXT, isBase58 } from './checks.js';
import { A_TEXT, Check } from './compare.js';
import { membersOf } from './forms.js';
import type { ApiCall } from './types.js';
import { type Refused, type Verdict, done, refused } from './verdict.js';

// RFC 8410: the prefix of the 32 bytes of an ed25519 key in DER.
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Limit of the cache of keys: parsing a key takes as long as using it, and few occur. */
const KEY_LIMIT = 1_000;
const keys = new Map<string, KeyObject>();

export function publicKey(address: string): KeyObject {
  const known = keys.get(address);
  if (known !== undefined) return known;
  const der = Buffer.concat([SPKI_PREFIX, bs58.decode(address)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (keys.size >= KEY_LIMIT) keys.clear();
  keys.set(address, key);
  return key;
}

export function invalidWallet(wallet: string): Refused {
  return refused('invalid_wallet', { wallet, reason: SOME_TEXT });
}

/** Why a text is not a wallet; null if it is one. Source: docs/reference/fidelity.md, Errors. */
export function walletRefusal(wallet: string): Refused | null {
  return isBase58(wallet, 32) ? null : invalidWallet(wallet);
}

/** Five lines: service, wallet, nonce, issued at, expires at. Source: docs/reference/fidelity.md, Signing in. */
function challengeText(wallet: string, issuedMs: number, expiresMs: number): Check {
  const parts = [wallet, '', iso(issuedMs), iso(expiresMs)];
  return new Check((actual, memory) => {
    if (typeof actual !== 'string') return A_TEXT;
    const [service, ...rest] = actual.split('\n');
    const fits =
      service !== '' &&
      rest.length === parts.length &&
      rest.every((line, at) => line !== '' && line.endsWith(parts[at] ?? ''));
    if (!fits) return `five lines with ${wallet}, ${iso(issuedMs)} and ${iso(expiresMs)}`;
    if (!memory.isNew(actual)) return 'a challenge that was not issued before';
    memory.learnChallenge(actual, { wallet, expiresMs });
    return null;
  });
}

/** Issues a challenge for a wallet. Source: docs/reference/fidelity.md, Signing in. */
export function challenge(books: Books, call: ApiCall): Verdict {
  const wallet = String(membersOf(call)['wallet']);
  const refusal = walletRefusal(wallet);
  if (refusal !== null) return refusal;
  const { challengeSeconds: expiresIn } = books.modelConfig.limits;
  const expiresMs = books.nowMs + expiresIn * 1000;
  return done({ challenge: challengeText(wallet, books.nowMs, expiresMs), expiresIn });
}

/** A JWT of HS256 with `sub`, `iat`, `exp` and `jti`. Source: docs/reference/fidelity.md, Signing in. */
function tokenText(wallet: string, nowMs: number, seconds: number): Check {
  const iat = Math.floor(nowMs / 1000);
  const exp = iat + seconds;
  return new Check((actual, memory) => {
    const parts = typeof actual === 'string' ? actual.split('.') : [];
    if (typeof actual !== 'string' || parts.length !== 3) return 'a JWT';
    const [header, claims] = parts.slice(0, 2).map(jsonOf);
    const fits =
      header?.['alg'] === 'HS256' &&
      claims?.['sub'] === wallet &&
      claims['iat'] === iat &&
      claims['exp'] === exp &&
      typeof claims['jti'] === 'string' &&
      Object.keys(claims).length === 4;
    if (!fits) return `a JWT with sub ${wallet}, iat ${iat}, exp ${exp} and jti`;
    if (!memory.isNew(actual)) return 'a token that was not issued before';
    memory.learnToken(actual, { wallet, expiresMs: exp * 1000 });
    return null;
  });
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

function isSigned(wallet: string, signature: string, message: string): boolean {
  if (!isBase58(signature, 64)) return false;
  try {
    const bytes = Buffer.from(message, 'utf8');
    return verifySignature(null, bytes, publicKey(wallet), bs58.decode(signature));
  } catch {
    return false;
  }
}

/** Issues a token for a signed challenge. Refusals follow the documented order. Source: docs/reference/fidelity.md, Signing in. */
export function verify(books: Books, call: ApiCall): Verdict {
  const { wallet, signature, message } = membersOf(call) as Record<
    'wallet' | 'signature' | 'message',
    string
  >;
  const refusal = walletRefusal(wallet);
  if (refusal !== null) return refusal;
  const known = books.challenges.get(message);
  if (known === undefined || known.wallet !== wallet) return refused('challenge_unknown');
  if (books.nowMs >= known.expiresMs)
    return refused('challenge_expired', { expired_at: iso(known.expiresMs), now: iso(books.nowMs) });
  if (known.isUsed) return refused('challenge_used');
  if (!isSigned(wallet, signature, message)) return refused('invalid_signature', { expected: SOME_TEXT });
  books.challenges = books.challenges.set(message, { ...known, isUsed: true });
  books.open(wallet);
  const { tokenSeconds: expiresIn } = books.modelConfig.limits;
  return done({ token: tokenText(wallet, books.nowMs, expiresIn), expiresIn, wallet });
}

/** The wallet authenticated by an Authorization header, or the refusal. */
export function signedIn(books: Books, authorization: string | null): string | Refused {
  if (authorization === null || authorization.trim() === '') return refused('missing_token');
  const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  const known = token === undefined ? undefined : books.tokens.get(token);
  if (known === undefined) return refused('invalid_token');
  if (books.nowMs >= known.expiresMs)
    return refused('token_expired', { expired_at: iso(known.expiresMs), now: iso(books.nowMs) });
  return known.wallet;
}
