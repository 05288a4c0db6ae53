import { z } from 'zod';
import {
  BANK_LIMITS,
  type BankLimitName,
  ORDERED_LIMITS,
  PUBLISHED_LIMITS,
} from '../core/domain/bank-limits.js';
import { LIMITS, type LimitName } from '../core/limits.js';

/** The names of all limits. */
export const LIMIT_NAMES: readonly string[] = [...Object.keys(BANK_LIMITS), ...Object.keys(LIMITS)];

/** The defaults, with the passed values in their place. */
export function chosenLimits<T extends Readonly<Record<string, number>>>(
  defaults: T,
  given: object | undefined,
): T {
  const values = (given ?? {}) as Readonly<Record<string, number | undefined>>;
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, values[name] ?? value]),
  ) as T;
}

/** The limits on callers as options. */
const callerLimits = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { least, most }]) => [name, z.int().min(least).max(most).optional()]),
) as Record<LimitName, z.ZodOptional<z.ZodInt>>;

/** The limits of the bank as options: numbers with a range and a maximum of decimals. */
export const bankLimitSchemas = Object.fromEntries(
  Object.entries(BANK_LIMITS).map(([name, { least, most, decimals }]) => [
    name,
    z
      .number()
      .min(least)
      .max(most)
      .refine(
        (value) => Number(value.toFixed(decimals)) === value,
        decimals === 0 ? 'must be a whole number' : `must have at most ${decimals} decimals`,
      )
      .optional(),
  ]),
) as Record<BankLimitName, z.ZodOptional<z.ZodNumber>>;

/** The option `limits`. */
export const limitOptions = z
  .strictObject({ ...callerLimits, ...bankLimitSchemas })
  .superRefine((given, context) => {
    const all = chosenLimits(PUBLISHED_LIMITS, given);
    for (const [low, high] of ORDERED_LIMITS)
      if (all[low] > all[high] && (all[high] !== 0 || PUBLISHED_LIMITS[high] !== 0))
        context.addIssue({
          code: 'custom',
          path: [given[low] === undefined ? high : low],
          message: `${low} (${all[low]}) must not exceed ${high} (${all[high]})`,
        });
  });

/** The names of the bank's limits that options set. */
export function bankLimitsIn({
  limits: given = {},
}: {
  readonly limits?: z.input<typeof limitOptions> | undefined;
}): BankLimitName[] {
  return (Object.keys(BANK_LIMITS) as BankLimitName[]).filter((name) => given[name] !== undefined);
}
