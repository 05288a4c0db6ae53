import type { SecretRedactor } from './secret-redactor.js';
import type { Actors } from './wallets.js';

const BEARER = /^Bearer +(\S+)$/i;

/** An Authorization header, and what came of it. */
export interface Bearing {
  readonly authorization: string | undefined;
  /** Whose token it had; null when it was none. */
  readonly wallet: string | null;
  /** The body of the answer, null when there was none. */
  readonly body: unknown;
}

/** What stands for Authorization headers. */
export class AuthorizationRedactor {
  readonly #secrets: SecretRedactor;
  readonly #actors: Actors;
  /** The last header of each wallet and what stands for it: to compare two tokens takes less time than to look for one. */
  readonly #last = new Map<string, { readonly authorization: string; readonly name: string }>();
  #tokens = 0;

  constructor(secrets: SecretRedactor, actors: Actors) {
    this.#secrets = secrets;
    this.#actors = actors;
  }

  /** What stands for a header; null when there is none. */
  of(bearing: Bearing): string | null {
    const { authorization, wallet } = bearing;
    if (authorization === undefined || authorization === '') return null;
    if (wallet === null) return this.#lookUp(authorization, bearing);
    // A token that has been issued since may be one of them: after a revert, a sign-in gives the same again.
    if (this.#tokens !== this.#secrets.tokens) this.#last.clear();
    this.#tokens = this.#secrets.tokens;
    const last = this.#last.get(wallet);
    if (last?.authorization === authorization) return last.name;
    const name = this.#lookUp(authorization, bearing);
    this.#last.set(wallet, { authorization, name });
    return name;
  }

  #lookUp(authorization: string, { wallet, body }: Bearing): string {
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return 'malformed';
    const known = this.#secrets.ofToken(token);
    if (known !== undefined) return known;
    // It was issued before the recording began.
    if (wallet !== null) return `<token of ${this.#actors.of(wallet)}>`;
    const { code } = (body ?? {}) as { code?: unknown };
    return code === 'token_expired' ? 'expired' : 'wrong';
  }
}
