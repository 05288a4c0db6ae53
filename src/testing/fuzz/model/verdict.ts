import { Check, type Members, type Place, type Tree, type Memory, differenceOf } from './compare.js';
import { SOME_TEXT, withOptional } from './checks.js';
import type { Expectation, ModelConfig } from './types.js';

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

function expected(memory: Memory, status: number, code: string | null, body: () => Tree): Expectation {
  return {
    status,
    code,
    judge: (response) => {
      if (response === null) return null;
      if (response.status === status) return differenceOf(body(), response.body, memory);
      return { kind: 'status', expected: { status, code }, actual: response };
    },
  };
}

export function expectedAnswer(memory: Memory, { variants }: ModelConfig, verdict: Verdict): Expectation {
  const { code } = verdict;
  if (code === null) return expected(memory, 200, null, () => verdict.body);
  const switched = variants.errorStatus as Readonly<Record<string, number | undefined>>;
  const status = switched[code] ?? statusOf(code);
  const body = { error: SOME_TEXT, code, details: verdict.details, requestId: SOME_TEXT };
  return expected(memory, status, code, () => body);
}

/** The result of an operator's command: the content of its response when it was carried out, or the code of a refusal. */
export type Outcome = (() => Tree) | string;

/** The expected response to a command of the control interface. */
export function expectedControl(memory: Memory, outcome: Outcome): Expectation {
  if (typeof outcome === 'function') return expected(memory, 200, null, outcome);
  const status = outcome.endsWith('not_found') ? 404 : 400;
  const body = withOptional({ error: SOME_TEXT, code: outcome }, { requestId: SOME_TEXT });
  return expected(memory, status, outcome, () => body);
}
