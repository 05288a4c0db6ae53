import { parseInstant } from '../../core/domain/calendar.js';
import { UsageError } from '../usage.js';
import type { LoggedEvent } from './event.js';

/** A value of the command line, or several of an option that was said more than once. */
type Said<T> = T | readonly T[] | undefined;

/** Which events are wanted: all options must hold, of one that was said more than once any. */
export interface LogFilter {
  readonly wallet?: Said<string>;
  readonly request?: Said<string>;
  readonly endpoint?: Said<string>;
  readonly code?: Said<string>;
  readonly entry?: Said<number>;
  readonly signature?: Said<string>;
  readonly kind?: Said<string>;
  readonly since?: Said<string>;
  readonly until?: Said<string>;
}

function instant(option: string, text: Said<string>): number | null {
  if (text === undefined) return null;
  if (typeof text !== 'string') throw new UsageError(`${option} can be said once only`);
  const atMs = parseInstant(text);
  if (atMs === null)
    throw new UsageError(`${option} ${text}: write an instant with its zone, such as 2026-01-31T12:00:00Z`);
  return atMs;
}

/** Members of a list of objects. */
function membersOf(list: unknown, name: string): unknown[] {
  return Array.isArray(list) ? list.map((element) => (element as Record<string, unknown>)[name]) : [];
}

/** Whether an event is about a wallet: who called, whose entry it is, whose accounts it moves. */
function isAbout(event: LoggedEvent, wallet: string): boolean {
  const { postings, changed, signer } = event;
  return (
    event['wallet'] === wallet ||
    signer === wallet ||
    membersOf(postings, 'owner').includes(wallet) ||
    membersOf(changed, 'address').includes(wallet)
  );
}

/** An operation by its name, or by the end of its path. */
function isOf({ operation, path }: LoggedEvent, endpoint: string): boolean {
  if (operation === endpoint) return true;
  return typeof path === 'string' && endpoint.includes('/') && path.endsWith(endpoint);
}

type Check = (event: LoggedEvent) => boolean;

/** Whether a check holds for any of the values that an option was given; null for none. */
function anyOf<T extends string | number>(
  values: Said<T>,
  holds: (event: LoggedEvent, value: T) => boolean,
): Check | null {
  if (values === undefined) return null;
  const wanted = typeof values === 'object' ? values : [values];
  return (event) => wanted.some((value) => holds(event, value));
}

function numbered(entry: Said<number>): Check | null {
  const isNumber = [entry ?? []].flat().every((value) => Number.isInteger(value) && value >= 1);
  if (!isNumber) throw new UsageError('--entry must be the number of an entry, a whole number from 1 on');
  return anyOf(entry, (event, wanted) => event['entry'] === wanted);
}

/** Tells which events are wanted. Throws UsageError for an instant or a number that is none. */
export function filterOf(filter: LogFilter): (event: LoggedEvent) => boolean {
  const { wallet, request, endpoint, code, entry, signature, kind } = filter;
  const [sinceMs, untilMs] = [instant('--since', filter.since), instant('--until', filter.until)];
  const checks = [
    anyOf(kind, (event, wanted) => event.kind === wanted),
    anyOf(wallet, isAbout),
    anyOf(request, (event, wanted) => event.requestId === wanted),
    anyOf(endpoint, isOf),
    anyOf(code, (event, wanted) => event['code'] === wanted || event['code'] === Number(wanted)),
    numbered(entry),
    // Calls name signatures in what they ask, entries in what they are about.
    anyOf(signature, (event, wanted) => JSON.stringify(event).includes(`"${wanted}"`)),
    sinceMs === null ? null : ({ at }: LoggedEvent) => Date.parse(at) >= sinceMs,
    untilMs === null ? null : ({ at }: LoggedEvent) => Date.parse(at) < untilMs,
  ].filter((check) => check !== null);
  return (event) => checks.every((holds) => holds(event));
}
