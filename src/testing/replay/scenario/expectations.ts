import { parseInstant } from '../../../core/domain/calendar.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { isName } from '../../../api/recorder/id-aliases.js';
import { valueAt } from '../../../core/json.js';
import { escaped } from '../../scenario/references.js';
import type { StepDraft } from './step-draft.js';

/** Maximum expected members per answer: more would obscure the purpose of the step. */
const MOST = 8;
const LONGEST_TEXT = 40;

/** The result of a step in the scenario's own world. */
export interface Outcome {
  readonly status: number | null;
  readonly body: unknown;
}

/** Members whose values depend on the world. */
const ELSEWHERE = new Set(['slot', 'blockTime', 'error', 'message', 'requestId', 'at', 'now', 'network']);

/** Yields numbers, booleans, and words such as a status. */
function* telling(value: unknown, path = ''): Generator<{ readonly path: string; readonly value: unknown }> {
  if (typeof value === 'number' || typeof value === 'boolean') yield { path, value };
  else if (typeof value === 'string') {
    const isWord = value.length <= LONGEST_TEXT && !isName(value) && !isAddress(value);
    if (isWord && parseInstant(value) === null && !value.includes('://')) yield { path, value };
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (ELSEWHERE.has(name) || name.includes('.')) continue;
      yield* telling(member, path === '' ? name : `${path}.${name}`);
    }
  }
}

function codeOf(body: unknown): string | null {
  const code = typeof body === 'object' && body !== null ? (body as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : null;
}

/** The expectation of a step: those recorded values that also hold in the scenario's world. */
export function expected({ told }: StepDraft, actual: Outcome): Readonly<Record<string, unknown>> | null {
  const code = codeOf(actual.body);
  const isRefused = code !== null && (actual.status === null || actual.status >= 400);
  if (isRefused) return actual.status === null ? { code } : { status: actual.status, code };
  const members: Record<string, unknown> = {};
  for (const { path, value } of telling(told?.body ?? null)) {
    if (Object.keys(members).length >= MOST) break;
    if (path !== '' && path !== 'success' && valueAt(actual.body, path) === value)
      members[escaped(path)] = typeof value === 'string' ? escaped(value) : value;
  }
  return Object.keys(members).length === 0 ? null : members;
}

/** Describes how a step's outcome differs from the recorded one; null if it does not. */
export function changedFrom({ told }: StepDraft, actual: Outcome): string | null {
  if (told === null) return null;
  const [was, is] = [codeOf(told.body), codeOf(actual.body)];
  if (was === '?' ? is !== null : was === is) return null;
  return `recorded: ${was ?? 'it was done'}`;
}
