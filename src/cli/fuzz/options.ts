import { parseDuration } from '../../core/domain/calendar.js';
import { DEFAULT_VARIANTS, type Variants } from '../../core/domain/variants.js';
import { type CampaignInput, COMMANDS, PROPERTIES } from '../../testing/fuzz-library.js';
import { parseShard } from '../../testing/scenario/shards.js';
import { FUZZ_LIMITS } from '../../testing/fuzz/limits.js';
import { checkNamed, parseLimits } from '../start-options.js';
import { UsageError, wholeNumber } from '../usage.js';

/** Arguments of `sim fuzz`. */
export interface FuzzArguments {
  readonly runs?: number | undefined;
  readonly steps: number;
  readonly timeBudget?: string | undefined;
  readonly workers: number;
  readonly queue?: string | undefined;
  readonly queuePrefix: string;
  readonly name: string;
  readonly shard?: string | undefined;
  readonly engine: 'litesvm' | 'bankrun';
  readonly transport: 'direct' | 'http';
  readonly agents: number;
  readonly seed: number;
  readonly variant: readonly string[];
  readonly limit: readonly string[];
  readonly varyLimits: boolean;
  readonly property: readonly string[];
  readonly only: readonly string[];
  readonly weights: readonly string[];
  readonly list: boolean;
  readonly corpus?: string | undefined;
  readonly out: string;
  readonly known: boolean;
  readonly ignore: readonly string[];
  readonly maxFinds?: number | undefined;
  readonly shrinkTime: string;
  readonly resume?: string | undefined;
  readonly csv?: string | undefined;
  readonly report?: string | undefined;
  readonly json: boolean;
}

const MAX_WORKERS = 64;
const MAX_AGENTS = 8;
const MAX_STEPS = 10_000;

/** A campaign per requested property, and how to divide the work. */
export interface FuzzPlan {
  readonly campaigns: readonly CampaignInput[];
  readonly workers: number;
  readonly timeBudgetMs: number | null;
}

function budgetOf({ timeBudget }: FuzzArguments): number | null {
  if (timeBudget === undefined) return null;
  const ms = parseDuration(timeBudget);
  if (ms === null || ms <= 0)
    throw new UsageError(`--time-budget ${timeBudget}: expected a duration such as 60s, 10m or 1h`);
  return ms;
}

function shrinkTimeOf({ shrinkTime }: FuzzArguments): number {
  const ms = parseDuration(shrinkTime);
  if (ms === null)
    throw new UsageError(`--shrink-time ${shrinkTime}: expected a duration such as 60s or 10m`);
  return ms;
}

function commandNamed(option: string, name: string): string {
  if (COMMANDS.some((command) => command.name === name)) return name;
  throw new UsageError(
    `${option} ${name}: unknown command; available: ${COMMANDS.map((each) => each.name).join(', ')}`,
  );
}

function weightsOf(given: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    given
      .flatMap((text) => text.split(','))
      .map((text) => {
        const [, name = '', value = ''] = /^([A-Za-z0-9]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
        if (name === '')
          throw new UsageError(`--weights ${text}: expected command=number, such as withdraw=20`);
        return [commandNamed('--weights', name), Number(value)];
      }),
  );
}

function variantsOf(given: readonly string[]): Partial<Variants> {
  const names = Object.keys(DEFAULT_VARIANTS).filter((name) => name !== 'errorStatus');
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      const name = text.slice(0, Math.max(0, at));
      if (!names.includes(name))
        throw new UsageError(`--variant ${text}: expected name=value; available: ${names.join(', ')}`);
      return [name, text.slice(at + 1)];
    }),
  );
}

function limitsOf(given: readonly string[]): Pick<CampaignInput, 'limits'> {
  if (given.length === 0) return {};
  const limits = parseLimits(given);
  const other = Object.keys(limits).find((name) => !FUZZ_LIMITS.some((each) => each === name));
  if (other !== undefined)
    throw new UsageError(
      `--limit ${other}: no limit that the model knows; available: ${FUZZ_LIMITS.join(', ')}`,
    );
  checkNamed('limits', limits);
  return { limits };
}

/** Resolves the arguments to a plan. Throws UsageError. */
export function planOf(args: FuzzArguments): FuzzPlan {
  const { runs, property, engine, transport, only } = args;
  const budgetMs = budgetOf(args);
  const names = property.length === 0 ? ['everything'] : property.flatMap((each) => each.split(','));
  for (const name of names)
    if (PROPERTIES.every((each) => each.name !== name))
      throw new UsageError(
        `--property ${name}: unknown property; available: ${PROPERTIES.map((each) => each.name).join(', ')}`,
      );
  const shard = args.shard === undefined ? { index: 1, count: 1 } : parseShard(args.shard);
  if (shard === null) throw new UsageError(`--shard ${args.shard}: expected index/count, such as 1/3`);
  const common: CampaignInput = {
    ...(runs === undefined ? {} : { runs: wholeNumber('--runs', runs, 1, 1e12) }),
    ...(budgetMs === null ? {} : { timeBudgetMs: budgetMs / names.length }),
    steps: wholeNumber('--steps', args.steps, 1, MAX_STEPS),
    agents: wholeNumber('--agents', args.agents, 1, MAX_AGENTS),
    seed: wholeNumber('--seed', args.seed, 0, 2 ** 31 - 1),
    engine,
    transport,
    variants: variantsOf(args.variant),
    ...limitsOf(args.limit),
    variesLimits: args.varyLimits,
    only: only.flatMap((each) => each.split(',')).map((each) => commandNamed('--only', each)),
    weights: weightsOf(args.weights),
    share: { index: shard.index - 1, count: shard.count },
    ignore: args.ignore,
    maxFinds: args.maxFinds === undefined ? Infinity : wholeNumber('--max-finds', args.maxFinds, 1, 1e9),
    shrinkTimeMs: shrinkTimeOf(args),
  };
  return {
    campaigns: names.map((name) => ({ ...common, property: name })),
    workers: wholeNumber('--workers', args.workers, 1, MAX_WORKERS),
    timeBudgetMs: budgetMs,
  };
}
