import type { SecretRedactor } from './secret-redactor.js';
import type { Actors } from './wallets.js';

const BEARER = /^Bearer +(\S+)$/i;

/** An Authorization header with the response to it. */
export interface AuthorizationExchange {
  readonly authorization: string | undefined;
  /** The token's wallet; null when it was not valid. */
  readonly wallet: string | null;
  /** The body of the response; null for none. */
  readonly body: unknown;
}

export class AuthorizationRedactor {
  readonly #secrets: SecretRedactor;
  readonly #actors: Actors;
  /** The last header of each wallet and its alias: comparing two tokens is faster than parsing one. */
  readonly #last = new Map<string, { readonly authorization: string; readonly name: string }>();
  #tokens = 0;

  constructor(secrets: SecretRedactor, actors: Actors) {
    this.#secrets = secrets;
    this.#actors = actors;
  }

  /** The alias of a header; null for no header. */
  of(bearing: AuthorizationExchange): string | null {
    const { authorization, wallet } = bearing;
    if (authorization === undefined || authorization === '') return null;
    if (wallet === null) return this.#lookUp(authorization, bearing);
    // A token issued since may be among them: after a revert, a sign-in issues the same token again.
    if (this.#tokens !== this.#secrets.tokens) this.#last.clear();
    this.#tokens = this.#secrets.tokens;
    const last = this.#last.get(wallet);
    if (last?.authorization === authorization) return last.name;
    const name = this.#lookUp(authorization, bearing);
    this.#last.set(wallet, { authorization, name });
    return name;
  }

  #lookUp(authorization: string, { wallet, body }: AuthorizationExchange): string {
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return 'malformed';
    const known = this.#secrets.ofToken(token);
    if (known !== undefined) return known;
    // Issued before the recording started.
    if (wallet !== null) return `<token of ${this.#actors.of(wallet)}>`;
    const { code } = (body ?? {}) as { code?: unknown };
    return code === 'token_expired' ? 'expired' : 'wrong';
  }
}
