export const SECOND = 1_000;
export const HOUR = 3_600 * SECOND;
export const DAY = 24 * HOUR;

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
