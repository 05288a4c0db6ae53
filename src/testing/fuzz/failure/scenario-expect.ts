import { amountOf } from '../amounts.js';
import { type BodyDifference, type Deviation, pathText } from '../model/difference.js';
import type { Json } from '../step.js';
import type { DryRunStep } from './dry-run.js';
import type { References } from './scenario-references.js';

/** Expectations of a scenario step. */
export type Expected = Readonly<Record<string, unknown>>;

/** Members of an expectation with a meaning of their own, rather than members of the answer's body. */
const TAKEN = new Set(['status', 'headers', 'body', 'lost', 'chain', 'journal', 'events', 'noEvents']);

/** The expectation for a step, from the model's outcome. */
export function expectedOutcome(outcome: string | null): Expected {
  switch (outcome) {
    case null:
    case 'ok':
    case 'failed':
      return {};
    case 'lost':
      return { lost: true };
    case 'refused':
      // Refused by the chain or the operator's desk, each with its own codes.
      return { code: { absent: false } };
    default:
      return { code: outcome };
  }
}

/** The expectation at one place of an answer; undefined if it cannot be expressed. */
function expectedAt(
  { expected, actual }: BodyDifference,
  { last, references }: { last: DryRunStep; references: References },
): unknown {
  if ('value' in expected) {
    const said = references.ofWorld(expected.value as Json, last);
    // Objects are compared with all their members, as the model does.
    if (said !== null) return typeof said === 'object' ? { equals: said } : said;
  } else if (expected.matcher !== undefined) return expected.matcher;
  if (actual === undefined) return { absent: false };
  const unwanted = references.ofWorld(JSON.parse(JSON.stringify(actual)) as Json, last);
  return unwanted === null ? undefined : { not: unwanted };
}

function ofAnswer(
  difference: BodyDifference,
  at: { last: DryRunStep; references: References },
): Expected | null {
  if (difference.isEncoded) return null;
  const path = pathText(difference.path);
  const place = TAKEN.has(String(difference.path[0])) ? `body.${path}` : path;
  const expected = expectedAt(difference, at);
  return expected === undefined ? null : { [place]: expected };
}

/**
 * The expectation of a counterexample's last step, from the rule that it breaks: what the model says, which fails while the rule is broken.
 * Null when only the step's outcome can be expressed.
 */
export function expectedAtLast(
  broken: Deviation | null,
  at: { readonly last: DryRunStep; readonly references: References },
): Expected | null {
  if (broken === null || typeof broken === 'string') return null;
  const outcome = at.last.overlapped === null ? expectedOutcome(at.last.outcome) : {};
  switch (broken.kind) {
    case 'desk':
      return expectedOutcome(broken.expected ? 'ok' : 'refused');
    case 'answered':
      return { lost: true };
    case 'unanswered':
      // No answer came, so any answer satisfies the expectation.
      return outcome;
    case 'status':
      return { ...outcome, status: broken.expected.status };
    case 'chain': {
      const { agent, token, expected } = broken;
      return { ...outcome, chain: { [agent]: { [token.toLowerCase()]: amountOf(expected, token) } } };
    }
    case 'body': {
      const more = ofAnswer(broken, at);
      return more === null ? null : { ...outcome, ...more };
    }
  }
}
