import { described, mismatches, shown } from '../expecting/match.js';
import { isMatcher } from '../expecting/matchers.js';
import { valueAt } from '../../../core/json.js';
import type { Expectations } from '../file/schema.js';
import { type Outcome, codeOf, flattenResponse } from '../outcome.js';
import type { Mismatch } from '../results.js';
import { CannotPlay, type LoggedEvent } from '../target.js';
import type { ScenarioContext } from './scenario-context.js';

/** Members of an expectation that permit a failing call. */
const CHECKERS = ['status', 'code', 'lost', 'error'];

function saidOf(outcome: Outcome): string {
  if (outcome.lost !== null) return `no answer: ${outcome.lost}`;
  const { error } = (outcome.body ?? {}) as { error?: unknown };
  const sentence = typeof error === 'string' ? `: ${error}` : '';
  return `${[outcome.status, codeOf(outcome)].filter((part) => part !== null).join(' ')}${sentence}`;
}

/** Mismatches of an answer. A refusal must be expected explicitly. */
function checkAnswer(outcome: Outcome, expected: Readonly<Record<string, unknown>>): Mismatch[] {
  const names = Object.keys(expected);
  const mayFail = names.some((name) => CHECKERS.includes(name.split('.')[0] ?? ''));
  if (!mayFail && !outcome.isOk) return [{ path: '', expected: 'to be done', actual: saidOf(outcome) }];
  const answer = flattenResponse(outcome);
  return names.flatMap((name) => {
    const value = Object.hasOwn(answer, name) ? answer[name] : valueAt(answer, name);
    return mismatches(value, expected[name], name);
  });
}

async function checkChain(
  context: ScenarioContext,
  expected: Readonly<Record<string, unknown>>,
): Promise<Mismatch[]> {
  const { chain } = context.world;
  if (chain === null) throw new CannotPlay('balances on chain need --rpc-url');
  const found: Mismatch[] = [];
  for (const [name, wanted] of Object.entries(expected)) {
    const named = name === 'treasury' ? context.facts.treasury : name;
    const address = context.actors.get(name)?.wallet.address ?? named;
    found.push(...mismatches(await chain.balances(address), wanted, `chain.${name}`));
  }
  return found;
}

async function checkJournal(context: ScenarioContext, expected: unknown): Promise<Mismatch[]> {
  const { control } = context.world;
  if (control === null) throw new CannotPlay('the journal of a deployed service cannot be read');
  const { totals } = await control.do('journal');
  return mismatches(totals, expected, 'journal');
}

/** Short name of an event: what fired, what an entry records, or its kind. */
export function nameOf(event: LoggedEvent): string {
  if (event.kind === 'fired') return String(event['event']);
  const { kind } = (event['facts'] ?? {}) as { kind?: unknown };
  return event.kind === 'entry' && typeof kind === 'string' ? kind : event.kind;
}

function isLike(event: LoggedEvent, wanted: unknown): boolean {
  if (typeof wanted === 'string') return nameOf(event) === wanted || event.kind === wanted;
  return mismatches(event, wanted).length === 0;
}

/** Each event must occur, in this order; others may occur in between. */
function checkEvents(events: readonly LoggedEvent[], expected: readonly unknown[]): Mismatch[] {
  let from = 0;
  for (const [index, wanted] of expected.entries()) {
    const at = events.findIndex((event, place) => place >= from && isLike(event, wanted));
    if (at < 0) {
      const after = events.slice(from).map(nameOf).join(', ') || 'nothing';
      return [{ path: `events.${index}`, expected: described(wanted), actual: after }];
    }
    from = at + 1;
  }
  return [];
}

/** Whether an expectation needs the event log from before the step. */
export function looksAtEvents(expectations: Expectations | undefined): boolean {
  return expectations?.events !== undefined || expectations?.noEvents !== undefined;
}

/**
 * All mismatches of an answer (null if there is none) and of the world. `since` is the last event before the step. Rejects with
 * CannotPlay where the target lacks the data.
 */
export async function check(
  context: ScenarioContext,
  outcome: Outcome | null,
  expectations: Expectations,
  since: number,
): Promise<Mismatch[]> {
  const { chain, journal, events, noEvents, ...answer } = expectations;
  const found: Mismatch[] = [];
  if (outcome !== null) found.push(...checkAnswer(outcome, answer));
  else {
    for (const name of Object.keys(answer))
      found.push({
        path: name,
        expected: isMatcher(answer[name]) ? described(answer[name]) : shown(answer[name]),
        actual: 'there is no answer to look at: only chain, journal and events can be expected here',
      });
  }
  if (chain !== undefined) found.push(...(await checkChain(context, chain)));
  if (journal !== undefined) found.push(...(await checkJournal(context, journal)));
  if (events === undefined && noEvents === undefined) return found;
  const happened = await context.world.eventsAfter(since);
  found.push(...checkEvents(happened, events ?? []));
  for (const unwanted of noEvents ?? [])
    if (happened.some((event) => isLike(event, unwanted)))
      found.push({ path: 'noEvents', expected: `no ${unwanted}`, actual: happened.map(nameOf).join(', ') });
  return found;
}
