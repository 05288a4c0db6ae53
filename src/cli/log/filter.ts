import { parseInstant } from '../../core/domain/calendar.js';
import { UsageError } from '../usage.js';
import type { LoggedEvent } from './event.js';

type TextOption = 'wallet' | 'request' | 'endpoint' | 'code' | 'signature' | 'kind';

/** A filter for events: all options must match; a repeated option matches any of its values. */
export type LogFilter = { readonly [option in TextOption]?: readonly string[] | undefined } & {
  readonly entry?: readonly number[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

function instant(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const atMs = parseInstant(text);
  if (atMs === null)
    throw new UsageError(
      `${option} ${text}: expected an instant with a time zone, such as 2026-01-31T12:00:00Z`,
    );
  return atMs;
}

/** Whether an event involves a wallet: as caller, as owner of the entry, or as an account whose balance changed. */
function isAbout(event: LoggedEvent, wallet: string): boolean {
  const { postings = [], changed = [], signer } = event;
  return (
    event['wallet'] === wallet ||
    signer === wallet ||
    postings.some(({ owner }) => owner === wallet) ||
    changed.some(({ address }) => address === wallet)
  );
}

/** Matches an operation by its name, or by the end of its path. */
function isOf({ operation, path }: LoggedEvent, endpoint: string): boolean {
  if (operation === endpoint) return true;
  return typeof path === 'string' && endpoint.includes('/') && path.endsWith(endpoint);
}

type Check = (event: LoggedEvent) => boolean;

/** Whether a check holds for any value of an option; null if the option is absent. */
function anyOf<T extends string | number>(
  values: readonly T[] | undefined,
  holds: (event: LoggedEvent, value: T) => boolean,
): Check | null {
  if (values === undefined) return null;
  return (event) => values.some((value) => holds(event, value));
}

function numbered(entry: readonly number[] | undefined): Check | null {
  const isNumber = (entry ?? []).every((value) => Number.isInteger(value) && value >= 1);
  if (!isNumber) throw new UsageError('--entry must be a whole number of at least 1');
  return anyOf(entry, (event, wanted) => event['entry'] === wanted);
}

/** Builds a predicate for events. Throws UsageError for an invalid instant or number. */
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
    // Calls have signatures in their input; entries have them in their facts.
    anyOf(signature, (event, wanted) => JSON.stringify(event).includes(`"${wanted}"`)),
    sinceMs === null ? null : ({ at }: LoggedEvent) => Date.parse(at) >= sinceMs,
    untilMs === null ? null : ({ at }: LoggedEvent) => Date.parse(at) < untilMs,
  ].filter((check) => check !== null);
  return (event) => checks.every((holds) => holds(event));
}
