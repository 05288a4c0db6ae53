import { parseInstant } from '../../core/domain/calendar.js';
import { COMMANDS } from '../../api/control/commands.js';
import { endpoints } from '../../contract/endpoints.js';
import { ERRORS } from '../../core/domain/errors.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { RPC_METHODS } from '../../core/rpc-methods.js';
import { suggestion } from '../../core/suggestion.js';
import type { LogArguments } from '../remote/log.js';
import { withNames } from '../unknown-words.js';
import { UnknownName, UsageError, wholeNumber } from '../usage.js';
import type { LoggedEvent } from './event.js';

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

/** Whether an event matches a value of an option. All options must match, and of a repeated one any value. */
const TESTS = {
  kind: ({ kind }: LoggedEvent, wanted: string) => kind === wanted,
  wallet: isAbout,
  request: ({ requestId }: LoggedEvent, wanted: string) => requestId === wanted,
  endpoint: isOf,
  code: ({ code }: LoggedEvent, wanted: string) => code === wanted || code === Number(wanted),
  entry: ({ entry }: LoggedEvent, wanted: number) => entry === wanted,
  // Calls have signatures in their input; entries have them in their facts.
  signature: (event: LoggedEvent, wanted: string) => JSON.stringify(event).includes(`"${wanted}"`),
};

const NAMES: { readonly [option in 'code' | 'endpoint']: readonly string[] } = {
  code: Object.keys(ERRORS),
  endpoint: [...Object.keys(endpoints(DEFAULT_VARIANTS)), ...Object.keys(COMMANDS), ...RPC_METHODS],
};

/** Throws UsageError for a code or an operation that is not among those seen, nor one of the simulator's own. */
export function checkNames(filter: LogArguments, seen: ReadonlySet<unknown>): void {
  for (const option of ['code', 'endpoint'] as const) {
    const names = NAMES[option];
    // Codes of JSON-RPC are numbers, and any path can be called.
    const isKnown = (name: string) => /^-?\d+$|\//.test(name) || seen.has(name) || names.includes(name);
    const unknown = filter[option]?.find((name) => !isKnown(name));
    if (unknown === undefined) continue;
    const sentence = `--${option} ${unknown}: neither the events nor the simulator has such a name`;
    const hint = suggestion(unknown, names);
    throw new UnknownName(hint === '' ? withNames(`${sentence}.`, 'Names', names) : sentence + hint);
  }
}

function instant(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const ms = parseInstant(text);
  if (ms !== null) return ms;
  throw new UsageError(
    `${option} ${text}: expected an instant with a time zone, such as 2026-01-31T12:00:00Z`,
  );
}

/** Builds a predicate for events. Throws UsageError for an invalid instant or number. */
export function filterOf(filter: LogArguments): (event: LoggedEvent) => boolean {
  const since = instant('--since', filter.since, -Infinity);
  const until = instant('--until', filter.until, Infinity);
  for (const value of filter.entry ?? []) wholeNumber('--entry', value, 1);
  const tests = Object.entries(TESTS) as [
    keyof typeof TESTS,
    (event: LoggedEvent, wanted: unknown) => boolean,
  ][];
  const isWanted = (event: LoggedEvent) =>
    tests.every(([option, test]) => filter[option]?.some((value) => test(event, value)) ?? true);
  return (event) => {
    const ms = Date.parse(event.at);
    return ms >= since && ms < until && isWanted(event);
  };
}
