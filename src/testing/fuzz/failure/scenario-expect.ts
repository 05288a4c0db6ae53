import type { Json } from '../step.js';
import type { DryRunStep } from './dry-run.js';
import type { References } from './scenario-references.js';

/** Expectations of a scenario step. */
export type Expected = Readonly<Record<string, unknown>>;

/** Members of an expectation with a meaning of their own, rather than members of the answer's body. */
const TAKEN = new Set(['status', 'headers', 'body', 'lost', 'chain', 'journal', 'events', 'noEvents']);
const DECIMALS = { USDC: 1e6, SOL: 1e9 } as const;

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

/** Parses JSON; undefined if invalid. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The value at a path in the model's notation: `loans[0].status`. */
function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const part of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (part === '') continue;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** Translates a textual expectation of the model into a matcher; undefined if there is none. */
function inWords(wanted: string): unknown {
  const items = /^(\d+) items$/.exec(wanted);
  if (items !== null) return { length: Number(items[1]) };
  const either = /^(-?[\d.e+-]+) or (-?[\d.e+-]+)$/.exec(wanted);
  if (either !== null) return { oneOf: [Number(either[1]), Number(either[2])] };
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(wanted)) return { between: [wanted, wanted] };
  switch (wanted) {
    case 'nothing':
      return { absent: true };
    case 'an object':
      return { type: 'object' };
    case 'an array':
      return { type: 'array' };
    case 'a text':
      return { type: 'string', not: '' };
    default:
      return undefined;
  }
}

/** The expectation at one path of an answer; undefined if it cannot be expressed. */
function expectedAt(wanted: string, got: string, at: { last: DryRunStep; references: References }): unknown {
  const exact = parsed(wanted);
  if (exact !== undefined) {
    const said = at.references.ofWorld(exact, at.last);
    // Objects are compared with all their members, as the model does.
    if (said !== null) return typeof said === 'object' && said !== null ? { equals: said } : said;
  }
  const words = exact === undefined ? inWords(wanted) : undefined;
  if (words !== undefined) return words;
  if (got === 'nothing') return { absent: false };
  const actual = parsed(got);
  const unwanted = actual === undefined ? null : at.references.ofWorld(actual, at.last);
  return unwanted === null ? undefined : { not: unwanted };
}

function ofAnswer(text: string, at: { last: DryRunStep; references: References }): Expected | null {
  const said = /^([^\s:]+): expected (.*?), got (.*)$/s.exec(text);
  if (said === null) return null;
  const [, path = '', wanted = '', got = ''] = said;
  const status = /^(\d{3})(?: (\w+))?$/.exec(wanted);
  if (path === 'status' && status !== null)
    return status[2] === undefined
      ? { status: Number(status[1]) }
      : { status: Number(status[1]), code: status[2] };
  const { answer } = at.last;
  const isThere = path === 'body' || got === 'nothing' || valueAt(answer?.body, path) !== undefined;
  if (!isThere) return null;
  const [first = ''] = path.split(/[.[]/);
  const place = TAKEN.has(first) && path !== 'body' ? `body.${path}` : path;
  const expected = expectedAt(wanted, got, at);
  return expected === undefined ? null : { [place]: expected };
}

function onChain(text: string): Expected | null {
  const said =
    /^sent on chain: the wallet of (\w+) should hold (-?\d+) base units of (USDC|SOL) and holds/.exec(text);
  if (said === null) return null;
  const [, agent = '', base = '', token = ''] = said;
  const units = Number(base) / DECIMALS[token as 'USDC' | 'SOL'];
  return { chain: { [agent]: { [token.toLowerCase()]: units } } };
}

/**
 * The expectation of a counterexample's last step, from its failure: what the model says, which fails while the rule is broken. Null when
 * only the step's outcome can be expressed.
 */
export function expectedAtLast(
  text: string,
  at: { readonly last: DryRunStep; readonly references: References },
): Expected | null {
  const outcome = at.last.overlapped === null ? expectedOutcome(at.last.outcome) : {};
  const desk = / should be (done|refused) and is (?:done|refused)$/.exec(text);
  if (at.last.step.do === 'desk' && desk !== null)
    return expectedOutcome(desk[1] === 'done' ? 'ok' : 'refused');
  if (/^the (?:connection should have ended|answer should have been lost)/.test(text)) return { lost: true };
  // No answer came, so any answer satisfies the expectation.
  if (text === 'the connection ended without an answer') return { ...outcome };
  const more = onChain(text) ?? ofAnswer(text, at);
  return more === null ? null : { ...outcome, ...more };
}
