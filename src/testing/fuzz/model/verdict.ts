import type { Tree } from './compare.js';

/** A refusal with its code of docs/fidelity.md, Errors. */
export interface Refused {
  readonly code: string;
  readonly details: { readonly [member: string]: Tree } | Tree;
}

/** A success with its body. */
export interface Done {
  readonly code: null;
  readonly body: Tree;
}

/** What a call comes to. */
export type Verdict = Refused | Done;

/** A refusal by its code and details. */
export function refused(code: string, details: Refused['details'] = {}): Refused {
  return { code, details };
}

/** A success by its body. */
export function done(body: Tree): Done {
  return { code: null, body };
}

/** The status of each code. Source: docs/fidelity.md, Errors. */
export function statusOf(code: string): number {
  switch (code) {
    case 'missing_token':
    case 'invalid_token':
    case 'token_expired':
    case 'challenge_unknown':
    case 'challenge_used':
    case 'challenge_expired':
    case 'invalid_signature':
      return 401;
    case 'daily_limit_exceeded':
    case 'sender_mismatch':
      return 403;
    case 'not_found':
    case 'loan_not_found':
      return 404;
    case 'chain_unavailable':
    case 'oracle_unavailable':
    case 'storage_unavailable':
    case 'internal_error':
      return 500;
    default:
      return 400;
  }
}
