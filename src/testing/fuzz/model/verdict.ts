import { Check, type Members, type Place, type Tree } from './compare.js';

/** A refusal with a code from docs/reference/fidelity.md, Errors. */
export interface Refused {
  readonly code: string;
  /** The record of a payment whose outcome is unknown, and the response once it is completed. */
  readonly underWay?: { readonly at: Place; readonly body: Tree };
  readonly details: Members | Check;
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

export function refused(code: string, details: Check | Members = {}): Refused {
  if (details instanceof Check) return { code, details };
  const members = Object.entries(details).map(([name, value]) => [name, cut(value)] as const);
  return { code, details: Object.fromEntries(members) };
}

export function done(body: Tree): Done {
  return { code: null, body };
}

/** The codes of each HTTP status but 400. Source: docs/reference/fidelity.md, Errors. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  401: [
    'missing_token',
    'invalid_token',
    'token_expired',
    'challenge_unknown',
    'challenge_used',
    'challenge_expired',
    'invalid_signature',
  ],
  403: ['daily_limit_exceeded', 'sender_mismatch'],
  404: ['loan_not_found'],
  500: ['chain_unavailable', 'oracle_unavailable'],
};

export function statusOf(code: string): number {
  const [status = 400] = Object.entries(CODES).find(([, codes]) => codes.includes(code)) ?? [];
  return Number(status);
}

export function isRefused(value: object | string): value is Refused {
  return typeof value === 'object' && 'code' in value;
}
