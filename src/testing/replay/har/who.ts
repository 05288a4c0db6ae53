import { createHash } from 'node:crypto';
import { base58 } from '../../../chain/base58.js';
import { isAddress } from '../../../core/domain/inputs.js';
import type { HarCall } from './read-har.js';
import { isObject } from '../../../core/json.js';

/** The wallet in a token, without verifying its signature. */
function subjectOf(token: string): string | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const subject = isObject(payload) ? (payload['sub'] ?? payload['wallet']) : null;
    return typeof subject === 'string' && isAddress(subject) ? subject : null;
  } catch {
    return null;
  }
}

/** The wallet in an object. */
export function walletIn(value: unknown): string | null {
  const wallet = isObject(value) ? value['wallet'] : null;
  return typeof wallet === 'string' && isAddress(wallet) ? wallet : null;
}

/** Identifies the callers in a HAR file: by sign-ins, by the subject of a token, or one wallet per token. */
export class Callers {
  readonly #byToken = new Map<string, string>();

  constructor(calls: readonly HarCall[]) {
    for (const { operation, body, answer } of calls) {
      const token = isObject(answer) ? answer['token'] : null;
      const wallet = walletIn(body);
      if (operation === 'verify' && typeof token === 'string' && wallet !== null)
        this.#byToken.set(token, wallet);
    }
  }

  /** The wallet of a call; null for a call without a token. */
  of({ authorization, body }: HarCall): string | null {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return walletIn(body);
    const known =
      this.#byToken.get(token) ?? subjectOf(token) ?? base58(createHash('sha256').update(token).digest());
    this.#byToken.set(token, known);
    return known;
  }
}
