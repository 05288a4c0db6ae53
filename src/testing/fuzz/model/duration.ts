const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Parses a duration such as `90s` or `1h30m`. Throws RangeError if invalid. */
export function durationMs(text: string): number {
  if (!/^(\d+(\.\d+)?[a-z]+)+$/.test(text)) throw new RangeError(`not a duration: ${text}`);
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)([a-z]+)/g)) {
    const unitMs = UNIT_MS[unit ?? ''];
    if (unitMs === undefined) throw new RangeError(`not a duration: ${text}`);
    sum += Number(count) * unitMs;
  }
  return sum;
}
