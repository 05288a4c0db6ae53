import { described, memberMismatches, mismatches, shown } from '../expecting/match.js';
import { isMatcher } from '../expecting/matchers.js';
import type { Expectations } from '../file/schema.js';
import { strangerOnChain } from '../file/steps.js';
import { type Outcome, codeOf, flattenResponse } from '../outcome.js';
import type { Mismatch } from '../results.js';
import { CannotPlay, type LoggedEvent } from '../target.js';
import type { ScenarioContext } from './scenario-context.js';

/** Members of an expectation that permit a failing call. */
const CHECKERS = ['status', 'code', 'lost', 'error'];

/** What a response says: its status, code and sentence, or why there is none. */
export function saidOf(outcome: Outcome): string {
  if (outcome.lost !== null) return `no response: ${outcome.lost}`;
  const { error } = (outcome.body ?? {}) as { error?: unknown };
  const sentence = typeof error === 'string' ? `: ${error}` : '';
  return `${[outcome.status, codeOf(outcome)].filter((part) => part !== null).join(' ')}${sentence}`;
}

/** Mismatches of a response. A refusal must be expected explicitly. */
function checkResponse(outcome: Outcome, expected: Readonly<Record<string, unknown>>): Mismatch[] {
  const names = Object.keys(expected);
  const mayFail = names.some((name) => CHECKERS.includes(name.split('.')[0] ?? ''));
  if (!mayFail && !outcome.isOk) return [{ path: '', expected: 'success', actual: saidOf(outcome) }];
  return memberMismatches(flattenResponse(outcome), expected);
}

async function checkChain(
  context: ScenarioContext,
  expected: Readonly<Record<string, unknown>>,
): Promise<Mismatch[]> {
  const { chain } = context.world;
  if (chain === null) throw new CannotPlay('balances on chain need --rpc-url');
  // The agents of a script are known only now.
  const stranger = strangerOnChain({ chain: expected }, new Set(context.actors.keys()));
  if (stranger !== null) throw stranger;
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

/** Short name of an event: its due event, the operation of its entry, or its kind. */
export function nameOf(event: LoggedEvent): string {
  if (event.kind === 'fired') return String(event['event']);
  const { kind } = (event['facts'] ?? {}) as { kind?: unknown };
  return event.kind === 'entry' && typeof kind === 'string' ? kind : event.kind;
}

function isLike(event: LoggedEvent, wanted: unknown): boolean {
  if (typeof wanted === 'string') return nameOf(event) === wanted || event.kind === wanted;
  return mismatches(event, wanted).length === 0;
}

/** The events must occur in this order; other events can occur between them. */
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
 * All mismatches of a response, if there is one, and of the world. `since` is the last event before the step. Rejects with CannotPlay if the target lacks the data.
 */
export async function check(
  context: ScenarioContext,
  outcome: Outcome | null,
  expectations: Expectations,
  since: number,
): Promise<Mismatch[]> {
  const { chain, journal, events, noEvents, ...response } = expectations;
  const found: Mismatch[] = [];
  if (outcome !== null) found.push(...checkResponse(outcome, response));
  else {
    for (const name of Object.keys(response))
      found.push({
        path: name,
        expected: isMatcher(response[name]) ? described(response[name]) : shown(response[name]),
        actual: 'this step has no response: only chain, journal and events can be expected here',
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
