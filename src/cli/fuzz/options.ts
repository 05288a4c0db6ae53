import { parseDuration } from '../../core/domain/calendar.js';
import type { Variants } from '../../core/domain/variants.js';
import type { CampaignInput, CorpusEntry } from '../../testing/fuzz-library.js';
import { FUZZ_LIMITS } from '../../testing/fuzz/limits.js';
import { checkWorkers } from '../jobs.js';
import { checkNamed, parseLimits, parseVariants } from '../start-options.js';
import type { FuzzArguments } from './flags.js';
import { UsageError, wholeNumber } from '../usage.js';

const MAX_RUNS = 1e12;
/** Maximum, because fast-check skips earlier runs one by one. */
const MAX_PATH = 1e7;

function budgetOf({ timeBudget }: FuzzArguments): number | null {
  if (timeBudget === undefined) return null;
  const ms = parseDuration(timeBudget);
  if (ms === null || ms <= 0)
    throw new UsageError(`--time-budget ${timeBudget}: expected a duration such as 60s, 10m or 1h`);
  return ms;
}

function variantsOf(given: readonly string[]): Partial<Variants> {
  const variants = parseVariants(given);
  checkNamed({ variants }, { variants });
  return variants;
}

function limitsOf(given: readonly string[]): Pick<CampaignInput, 'limits'> {
  if (given.length === 0) return {};
  const limits = parseLimits(given);
  const other = Object.keys(limits).find((name) => !FUZZ_LIMITS.some((each) => each === name));
  if (other !== undefined)
    throw new UsageError(
      `--limit ${other}: not a limit that the model knows; available: ${FUZZ_LIMITS.join(', ')}`,
    );
  checkNamed({ limits }, { limits });
  return { limits };
}

/** The campaign of the arguments; `corpus` is null without --corpus. Throws UsageError. */
export function campaignOf(args: FuzzArguments, corpus: readonly CorpusEntry[] | null): CampaignInput {
  const { runs, property, engine } = args;
  const budgetMs = budgetOf(args);
  checkWorkers(args);
  return {
    property,
    ...(runs === undefined ? {} : { runs: wholeNumber('--runs', runs, 1, MAX_RUNS) }),
    ...(budgetMs === null ? {} : { timeBudgetMs: budgetMs }),
    seed: wholeNumber('--seed', args.seed, 0, 2 ** 31 - 1),
    path: wholeNumber('--path', args.path, 0, MAX_PATH),
    engine,
    variants: variantsOf(args.variant),
    ...limitsOf(args.limit),
    ...(corpus === null ? {} : { corpus }),
    maxFinds: Infinity,
  };
}
