import { parseInstant } from '../../domain/calendar.js';
import { UsageError } from '../usage.js';

/** An event as the log tells it. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly requestId: string | null;
  readonly [member: string]: unknown;
}

/** Which events are wanted; all of what is said must hold. */
export interface LogFilter {
  readonly wallet?: string | undefined;
  readonly request?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly code?: string | undefined;
  readonly entry?: number | undefined;
  readonly signature?: string | undefined;
  readonly kind?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function instant(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
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

/** Tells which events are wanted. Throws UsageError for an instant that is none. */
export function filterOf(filter: LogFilter): (event: LoggedEvent) => boolean {
  const { wallet, request, endpoint, code, entry, signature, kind } = filter;
  const [sinceMs, untilMs] = [instant('--since', filter.since), instant('--until', filter.until)];
  const checks: ((event: LoggedEvent) => boolean)[] = [];
  if (kind !== undefined) checks.push((event) => event.kind === kind);
  if (wallet !== undefined) checks.push((event) => isAbout(event, wallet));
  if (request !== undefined) checks.push((event) => event.requestId === request);
  if (endpoint !== undefined) checks.push((event) => isOf(event, endpoint));
  if (code !== undefined) checks.push((event) => event['code'] === code || event['code'] === Number(code));
  if (entry !== undefined) checks.push((event) => event['entry'] === entry);
  // Calls name signatures in what they ask, entries in what they are about.
  if (signature !== undefined) checks.push((event) => JSON.stringify(event).includes(`"${signature}"`));
  if (sinceMs !== null) checks.push(({ at }) => Date.parse(at) >= sinceMs);
  if (untilMs !== null) checks.push(({ at }) => Date.parse(at) < untilMs);
  return (event) => checks.every((holds) => holds(event));
}
