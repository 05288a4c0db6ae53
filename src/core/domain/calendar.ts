export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Seconds in a year of 365 days, the basis of actual/365 interest and of APYs. */
export const YEAR_SECONDS = 31_536_000n;

/** The UTC midnight at or before `atMs`, in milliseconds since 1970. */
export function startOfUtcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

/** Whole seconds since 1970. */
export function secondsOf(atMs: number): bigint {
  return BigInt(Math.floor(atMs / SECOND_MS));
}

/** An instant as ISO 8601 in UTC. */
export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: 365 * DAY_MS,
};

/** The last instant that a Date can represent, in milliseconds since 1970. Source: ECMAScript, time values. */
export const LAST_INSTANT_MS = 8.64e15;

/** The last instant of a world's clock, the end of the year 9999, so that later instants such as expiries are still valid dates. */
export const LAST_CLOCK_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The longest duration: several of them after the last instant of a clock still yield a valid date. */
export const LONGEST_DURATION_MS = 10_000 * 365 * DAY_MS;

const INSTANT = /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 date (midnight UTC) or time with a time zone; null for anything else,
 * including a day that does not exist. Digits of a second beyond milliseconds are dropped.
 */
export function parseInstant(text: string): number | null {
  const [, day] = INSTANT.exec(text) ?? [];
  const atMs = day === undefined ? Number.NaN : Date.parse(text);
  // Date.parse counts days beyond the end of a month into the next one.
  return Number.isNaN(atMs) || isoOf(Date.parse(day as string)).slice(0, 10) !== day ? null : atMs;
}

/** Whether a value is a text that `parseInstant` accepts. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && parseInstant(value) !== null;
}

/** Examples of durations, for messages. */
export const DURATIONS = '90s, 1h30m, 30d, 2w, 1y or PT1H';

/**
 * Milliseconds of a duration: `90s`, `1h30m`, `30d`, `2w`, `1y` (365 days), or ISO 8601 without months (`P30D`, `PT1H30M`).
 * Null when the text is neither, or longer than 10,000 years.
 */
export function parseDuration(text: string): number | null {
  const ms = readDuration(text);
  return ms !== null && ms <= LONGEST_DURATION_MS ? ms : null;
}

function readDuration(text: string): number | null {
  const iso =
    /^P(?:(\d+)Y)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/.exec(text);
  if (iso !== null && text !== 'P' && !text.endsWith('T')) {
    const [years, weeks, days, hours, minutes, seconds] = iso.slice(1).map((part) => Number(part ?? 0));
    return Math.round(
      (years ?? 0) * 365 * DAY_MS +
        (weeks ?? 0) * 7 * DAY_MS +
        (days ?? 0) * DAY_MS +
        (hours ?? 0) * HOUR_MS +
        (minutes ?? 0) * MINUTE_MS +
        (seconds ?? 0) * SECOND_MS,
    );
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdwy]))+$/.test(text)) return null;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdwy])/g)) {
    total += Number(count) * (UNITS_MS[unit as string] as number);
  }
  return Math.round(total);
}
