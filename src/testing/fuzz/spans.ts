export const SECOND = 1_000;
export const HOUR = 3_600 * SECOND;
export const DAY = 24 * HOUR;

const UNITS_MS = { d: DAY, h: HOUR, m: 60 * SECOND, s: SECOND, ms: 1 };

/** A duration in the notation of scenarios: `30d`, `59m59s`. */
export function durationText(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, each] of Object.entries(UNITS_MS)) {
    const count = Math.floor(left / each);
    if (count > 0) text += `${count}${unit}`;
    left -= count * each;
  }
  return text;
}

/** Time spans at whose ends something expires, falls due or resets. */
export const SPANS = [
  SECOND,
  60 * SECOND,
  299 * SECOND,
  300 * SECOND,
  HOUR - SECOND,
  HOUR,
  HOUR + SECOND,
  DAY - SECOND,
  DAY,
  DAY + SECOND,
  2 * DAY,
  7 * DAY,
  30 * DAY - 1,
  30 * DAY,
  31 * DAY,
  60 * DAY,
  90 * DAY,
  365 * DAY,
];
