import { z } from 'zod';
import { valueSource } from '../../runtime/config.js';

const PERCENT = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/;

/** Converts a percentage to a fraction: `1.7%` is 0.017. It shifts the decimal point in the text, so that no digit is lost. */
function shareOf(percent: string): number {
  const digits = PERCENT.exec(percent)?.[1];
  if (digits === undefined) throw new RangeError(`not a percentage: ${percent}`);
  return Number(`${digits}e-2`);
}

/** A rate as users write it: `1.7%`, or a source. */
export const rate = z.union(
  [z.string().regex(PERCENT, 'must be a percentage such as 1.7%').transform(shareOf), valueSource],
  'must be a percentage such as 1.7%, a number such as 0.017, or a series or a walk',
);

/** A price in USD, with an error message that lists the allowed forms. */
export const price = z.union(
  valueSource.options,
  'must be a number of USD such as 120, or a series or a walk',
);
