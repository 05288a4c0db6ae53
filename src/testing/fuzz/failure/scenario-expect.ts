import { defined } from '../../../core/json.js';
import { amountOf } from '../amounts.js';
import { type BodyDifference, pathText } from '../model/difference.js';
import type { Json } from '../step.js';
import type { StepResult } from '../play/sequence.js';
import { InexpressibleStep, type References } from './scenario-references.js';

export type Expected = Readonly<Record<string, unknown>>;

/** Members of an expectation with a special meaning, as opposed to members of the response body. */
const TAKEN = new Set(['status', 'headers', 'body', 'lost', 'chain', 'journal', 'events', 'noEvents']);

/** The expectation for a step that breaks no rule, from the model's outcome. */
function outcomeOf({ played: { outcome } }: StepResult): Expected {
  switch (outcome) {
    case 'ok':
    case 'failed':
      return {};
    case 'lost':
      return { lost: true };
    case 'refused':
      // Refused by the chain or by an operator's command, each with its own codes.
      return { code: { absent: false } };
    default:
      return { code: outcome };
  }
}

/** The expectation at the path of a difference; undefined if it cannot be expressed. */
function expectedAt({ expected, actual }: BodyDifference, references: References): unknown {
  if ('value' in expected) {
    const said = references.ofWorld(expected.value as Json);
    // Like the model, compares objects with all their members.
    if (said !== null) return typeof said === 'object' ? { equals: said } : said;
  } else if (expected.matcher !== undefined) return expected.matcher;
  if (actual === undefined) return { absent: false };
  if (actual === null) return { not: null };
  const unwanted = references.ofWorld(JSON.parse(JSON.stringify(actual)) as Json);
  return unwanted === null ? undefined : { not: unwanted };
}

/** The expectation for a step: what the model expects, so that a step that breaks a rule fails. Throws InexpressibleStep. */
export function expectedOf(result: StepResult, references: References): Expected {
  const { broken, played } = result;
  if (typeof broken === 'string') throw new InexpressibleStep('a scenario does not check custom rules');
  switch (broken?.kind) {
    case undefined:
    case 'invariant':
      // The scenario checks the invariants.
      return outcomeOf(result);
    case 'unanswered':
      // The outcome of a call that should have had a response is the failure itself.
      return played.outcome === 'lost' ? {} : outcomeOf(result);
    case 'answered':
      return { lost: true };
    case 'status':
      return defined({ code: broken.expected.code ?? undefined, status: broken.expected.status });
    case 'chain': {
      const { agent, token, expected } = broken;
      return {
        ...outcomeOf(result),
        chain: { [agent]: { [token.toLowerCase()]: amountOf(expected, token) } },
      };
    }
    case 'overlap':
    case 'exception':
      throw new InexpressibleStep('an expectation cannot express it');
    case 'body': {
      const expected = broken.isEncoded ? undefined : expectedAt(broken, references);
      if (expected === undefined) throw new InexpressibleStep('an expectation cannot express it');
      const path = pathText(broken.path);
      const place = TAKEN.has(String(broken.path[0])) ? `body.${path}` : path;
      return { ...outcomeOf(result), [place]: expected };
    }
  }
}
