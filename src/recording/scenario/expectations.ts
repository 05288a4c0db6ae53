import { parseInstant } from '../../core/domain/calendar.js';
import { isAddress } from '../../core/domain/inputs.js';
import { isObject, valueAt } from '../../core/json.js';
import { isName, plainText } from '../aliases.js';
import { escaped } from '../../testing/scenario/references.js';
import { ANY_CODE, type StepDraft } from './drafts.js';

const LONGEST_TEXT = 40;

/** Members whose values differ in other worlds: the chain's, sentences, and the time mode, since time stands still in a scenario. */
const ELSEWHERE = new Set([
  'slot',
  'blockTime',
  'network',
  'error',
  'message',
  'requestId',
  'at',
  'now',
  'mode',
  'factor',
]);

/** Yields numbers, booleans, and words such as a status. */
function* telling(value: unknown, path = ''): Generator<{ readonly path: string; readonly value: unknown }> {
  if (typeof value === 'number' || typeof value === 'boolean') yield { path, value };
  else if (typeof value === 'string') {
    const isWord = value.length <= LONGEST_TEXT && !isName(value) && !isAddress(value);
    if (isWord && parseInstant(value) === null && !value.includes('://')) yield { path, value };
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (ELSEWHERE.has(name) || name.includes('.')) continue;
      yield* telling(member, path === '' ? name : `${path}.${name}`);
    }
  }
}

/** The expectation of a step: the recorded refusal or loss, or the values of the recorded response that other worlds have too. */
export function expected({ told, args }: StepDraft): Readonly<Record<string, unknown>> | undefined {
  if (told === null) return { lost: true };
  if (told === undefined) return undefined;
  const { status, body } = told;
  const code = valueAt(body, 'code');
  if (code === ANY_CODE) return { code: { absent: false } };
  if (typeof code === 'string' && status !== null && status >= 400) return { status, code };
  const members: Record<string, unknown> = {};
  for (const { path, value: recorded } of telling(body)) {
    const value = typeof recorded === 'string' ? escaped(plainText(recorded)) : recorded;
    // What repeats the request tells nothing.
    const isAsked = isObject(args) && args[path.slice(path.lastIndexOf('.') + 1)] === value;
    if (path !== '' && path !== 'success' && !isAsked) members[escaped(path)] = value;
  }
  return Object.keys(members).length === 0 ? undefined : members;
}
