import { Check, type RecordPlace, type Tree } from './compare.js';

/** A refusal with a code from docs/reference/fidelity.md, Errors. */
export interface Refused {
  readonly code: string;
  /** The record of a payment whose outcome is unknown, and the response once it is completed. */
  readonly underWay?: { readonly at: RecordPlace; readonly body: Tree };
  readonly details: { readonly [member: string]: Tree } | Tree;
}

export interface Done {
  readonly code: null;
  readonly body: Tree;
}

export type Verdict = Refused | Done;

/** Maximum characters of a text in a refusal's details. Source: docs/reference/limits.md. */
const MOST_CHARACTERS = 2_000;

function cut(value: Tree): Tree {
  return typeof value === 'string' && value.length > MOST_CHARACTERS
    ? `${value.slice(0, MOST_CHARACTERS - 1)}…`
    : value;
}

export function refused(code: string, details: Check | { readonly [member: string]: Tree } = {}): Refused {
  if (details instanceof Check) return { code, details };
  return {
    code,
    details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, cut(value)])),
  };
}

export function done(body: Tree): Done {
  return { code: null, body };
}

/** The HTTP status of each code. Source: docs/reference/fidelity.md, Errors. */
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
