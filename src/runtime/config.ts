import { defaultEngine } from '../chain/engines/native.js';
import { LAST_CLOCK_MS, LONGEST_DURATION_MS, isInstant, parseDuration } from '../core/domain/calendar.js';
import { PUBLISHED_LIMITS } from '../core/domain/bank-limits.js';
import { ERRORS, type ErrorCode } from '../core/domain/errors.js';
import { isAddress } from '../core/domain/inputs.js';
import { DEFAULT_VARIANTS, type Variants } from '../core/domain/variants.js';
import { defined } from '../core/json.js';
import { DEFAULT_LIMITS } from '../core/limits.js';
import { MOST_FACTOR, type TimeMode } from '../world/clock.js';
import { type KeyPair, keyPairOf } from '../world/keys.js';
import { parseReviewPolicy } from '../world/reviewer.js';
import { parseSeriesCsv } from '../world/series-csv.js';
import { shortText } from '../core/domain/short-text.js';
import { refusedValue, suggestion } from '../core/suggestion.js';
import { instantOf } from '../world/sources.js';
import { z } from 'zod';
import { LIMIT_NAMES, bankLimitSchemas, bankLimitsIn, chosenLimits, limitOptions } from './limit-options.js';

/** A check that reports the errors `read` throws. */
function asIssue<T>(read: (given: T) => unknown) {
  return (given: T, context: z.RefinementCtx): void => {
    try {
      read(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  };
}

/** A seeded random walk in human units. */
const walk = z.strictObject({
  start: z.number().nonnegative(),
  every: z.string().refine((text) => (parseDuration(text) ?? 0) > 0, 'must be a duration such as 1h or 1d'),
  step: z.number().positive().max(1),
  min: z.number().nonnegative().optional(),
  max: z.number().positive().optional(),
});

const instant = z
  .union([z.string(), z.number()])
  .refine(
    (at) => (typeof at === 'number' ? Math.abs(at) <= LAST_CLOCK_MS : isInstant(at)),
    'must be an instant such as 2026-01-31 or 2026-01-31T12:00:00Z',
  );

/** The points of a series in human units. */
export const seriesPoint = z.strictObject({ at: instant, value: z.number().nonnegative().max(1e9) });

/** A rate (0.017 is 1.7 %) or a price in USD: fixed, a series of changes, or a walk. */
export const valueSource = z.union([
  z.number().nonnegative().max(1e9),
  z.strictObject({ series: z.array(seriesPoint).min(1) }),
  z.strictObject({ walk }),
]);

const oracle = z.strictObject({
  usdcApy: valueSource.optional(),
  solApy: valueSource.optional(),
  usdcUsd: valueSource.optional(),
  solUsd: valueSource.optional(),
  /** The text of a series file; its columns take precedence over the sources above. */
  csv: z.string().superRefine(asIssue(parseSeriesCsv)).optional(),
  /** How old a price may be while the data is stale: a duration, or `off` for any age. */
  maxAge: z
    .string()
    .refine(
      (text) => text === 'off' || parseDuration(text) !== null,
      'must be a duration such as 1h, or off for any age',
    )
    .optional(),
});

const codes = Object.keys(ERRORS) as ErrorCode[];
const status = z.literal([400, 401, 403, 404, 500]);

const variants = z.strictObject({
  overview: z.enum(['merged', 'A', 'B']),
  score: z.enum(['0-1000', '300-850']),
  purposes: z.enum(['union', 'six', 'four']),
  duration: z.enum(['optional', 'required']),
  historyTypes: z.enum(['all', 'no-credit']),
  withdrawals: z.enum(['instant', 'queued']),
  dailyWindow: z.enum(['utc-day', 'rolling-24h']),
  paymentRequests: z.enum(['once', 'repeatedly']),
  review: z.string().superRefine(asIssue(parseReviewPolicy)),
  network: z.enum(['mainnet', 'devnet']),
  errorStatus: z.partialRecord(z.enum(codes), status),
});

/** The engines that run a chain in this process. */
export const EMBEDDED_ENGINES = ['bankrun', 'litesvm'] as const;
export type EmbeddedEngineName = (typeof EMBEDDED_ENGINES)[number];

/** The engines for a world. `cluster` is an external chain behind a JSON-RPC URL. */
export const ENGINES = [...EMBEDDED_ENGINES, 'cluster'] as const;

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Options of the cluster engine: a node, and the key of the treasury there. */
const cluster = {
  clusterUrl: z.string().refine(isHttpUrl, 'must be an http or https URL of a JSON-RPC node').optional(),
  /** A secret key as base58 or as a JSON array of numbers, which may be text. */
  treasuryKey: z
    .union([z.string(), z.array(z.number())], 'must be text, or an array of 64 numbers')
    .optional(),
  /** Defaults to the mint of the `network` variant. */
  usdcMint: z.string().refine(isAddress, 'must be a Solana address').optional(),
};

export const timeText = z.union([
  z.literal(['real', 'frozen']),
  z.string().regex(/^\d+(\.\d+)?(e-\d+)?x$/, 'must be real, frozen or a factor such as 60x'),
]);

const depth = z.int().min(0).max(1_000);

/** The resolved options in a state file; strict, since only a simulator writes them. */
export const storedConfig = z.strictObject({
  seed: z.string().max(200),
  engine: z.enum(EMBEDDED_ENGINES),
  // Worlds from before this switch go on with its default.
  variants: variants.extend({ paymentRequests: variants.shape.paymentRequests.default('once') }),
  withdrawalDelayMs: z.int().min(0).max(LONGEST_DURATION_MS),
  confirmationSlots: z
    .strictObject({ confirmed: depth, finalized: depth })
    .refine(({ confirmed, finalized }) => confirmed <= finalized),
  /** The maximum age of a price while the data is stale; null for any age. */
  maxAgeMs: z.int().min(0).max(LONGEST_DURATION_MS).nullable(),
  /** Limits of the bank that differ from the published limits; absent for none. */
  limits: z.strictObject(bankLimitSchemas).optional(),
});

const MOST_HISTORY = 100_000;

const MAX_LANDING_DELAY_MS = 60_000;

const options = z.strictObject({
  seed: z.union([z.int(), z.string().max(200)]).optional(),
  engine: z.enum(ENGINES).optional(),
  time: timeText.optional(),
  startTime: instant.optional(),
  variants: variants.partial().optional(),
  /** Limits on callers, and limits of the bank; see docs/reference/limits.md. */
  limits: limitOptions.optional(),
  oracle: oracle.optional(),
  /** How long a queued withdrawal waits: a duration. */
  withdrawalDelay: z
    .string()
    .refine((text) => parseDuration(text) !== null, 'must be a duration such as 10m')
    .optional(),
  /** Slots until a transaction is confirmed and finalized: one number for both, or one each. */
  confirmationSlots: z
    .union([depth, z.tuple([depth, depth])])
    .refine(
      (slots) => typeof slots === 'number' || slots[0] <= slots[1],
      'must not be finalized before it is confirmed',
    )
    .optional(),
  /** How long a transaction sent over HTTP waits before it runs, while the clock runs: a duration. */
  landingDelay: z
    .string()
    .refine(
      (text) => (parseDuration(text) ?? Infinity) <= MAX_LANDING_DELAY_MS,
      'must be a duration of at most 1m',
    )
    .optional(),
  /** Number of snapshots kept, each of the world before a request that may write; 0 by default. */
  history: z.int().min(0).max(MOST_HISTORY).optional(),
  /** Whether the server also serves the inspector, a page for browsers; true by default. */
  inspector: z.boolean().optional(),
  /** Draws the secrets of tokens and receipts at random instead of from the seed. */
  freshSecrets: z.boolean().optional(),
  /** The state file to start from: its bytes or path. Only the options in `OF_EACH_RUN` can be combined with it. */
  state: z
    .union([z.string().min(1), z.custom<Uint8Array>((given) => given instanceof Uint8Array)])
    .optional(),
  /** The data folder of the world: resumed if it exists, created otherwise. */
  dataDir: z.string().min(1).optional(),
  /** Fsync policy: per batch of responses (`group`), per write (`always`), or left to the system (`off`). */
  fsync: z.enum(['group', 'always', 'off']).optional(),
  /** Compact the file of a data folder when its appended changes are this many times as large as its initial snapshot. */
  compactAt: z.number().positive().max(1_000_000).optional(),
  ...cluster,
});

/** Options that can differ between runs of a world in a data folder. */
export const OF_EACH_RUN = new Set([
  'engine',
  'time',
  'freshSecrets',
  'limits',
  'landingDelay',
  'history',
  'inspector',
  'dataDir',
  'fsync',
  'compactAt',
]);
const BESIDE_STATE = new Set(['state', ...OF_EACH_RUN]);

/** Where and how a world is persisted. */
export interface DataConfig {
  readonly dir: string;
  readonly fsync: 'group' | 'always' | 'off';
  readonly compactAt: number;
}

const DEFAULT_COMPACT_AT = 4;

function dataOf({ dataDir, fsync, compactAt, engine }: z.output<typeof options>): DataConfig | null {
  if (dataDir === undefined) {
    for (const [name, value] of Object.entries({ fsync, compactAt }))
      if (value !== undefined)
        throw new InvalidOptions(`${name}: only for a world in a data folder (dataDir)`);
    return null;
  }
  if (engine === 'cluster')
    throw new InvalidOptions(
      'dataDir: a world on a cluster cannot be persisted, since its chain is outside of it; use bankrun or litesvm',
    );
  return { dir: dataDir, fsync: fsync ?? 'group', compactAt: compactAt ?? DEFAULT_COMPACT_AT };
}

/** Rejects options that the state file itself determines. */
function checkBesideState(data: z.output<typeof options>): void {
  const limit = bankLimitsIn(data)[0];
  if (limit !== undefined)
    throw new InvalidOptions(`limits.${limit}: the state file determines the limits of the bank`);
  const other = Object.entries(data).find(([name, value]) => value !== undefined && !BESIDE_STATE.has(name));
  if (other !== undefined)
    throw new InvalidOptions(
      `${other[0]}: the state file determines it; only ${[...OF_EACH_RUN].join(', ')} can be combined with a state file`,
    );
  if (data.engine === 'cluster')
    throw new InvalidOptions(
      'engine: a state file cannot be loaded on a cluster, since its accounts cannot be set; use bankrun or litesvm',
    );
}

/** The options of a simulator; all have defaults. */
export type SimulatorOptions = z.input<typeof options>;

/** Where a world on a cluster runs. */
export interface ClusterConfig {
  readonly url: string;
  readonly treasury: KeyPair;
  /** `null` for the mint of the `network` variant. */
  readonly usdcMint: string | null;
}

/** The default seed: its wallets are the same at every start. */
export const DEFAULT_SEED = '1';

/** The default instant of a frozen clock. */
export const FROZEN_START_MS = Date.UTC(2026, 0, 1);

/** An invalid option; the message names it, the reason and the allowed values. */
export class InvalidOptions extends Error {
  override readonly name = 'InvalidOptions';

  constructor(
    readonly sentence: string,
    /** The allowed values, when the given one is unknown. */
    readonly known: readonly string[] = [],
  ) {
    super(known.length === 0 ? sentence : `${sentence} Allowed: ${known.join(', ')}`);
  }
}

/** Reads `real`, `frozen` or a factor such as `60x`; checks the equivalent object. Throws InvalidOptions. */
export function timeMode(given: TimeMode | string): TimeMode {
  let mode = Object(given) as { kind?: unknown; factor?: unknown };
  if (typeof given === 'string') mode = { kind: given };
  if (typeof given === 'string' && /^\d+(\.\d+)?(e-\d+)?x$/.test(given))
    mode = { kind: 'scaled', factor: Number(given.slice(0, -1)) };
  const { kind, factor } = mode;
  const text = JSON.stringify(given);
  if (kind === 'real' || kind === 'frozen') return { kind };
  if (kind !== 'scaled' || typeof factor !== 'number')
    throw new InvalidOptions(`time: ${text} is not real, frozen or a factor such as 60x`);
  if (!(factor > 0)) throw new InvalidOptions(`time: ${text} does not move; use frozen`);
  if (factor > MOST_FACTOR) throw new InvalidOptions(`time: ${text} is above ${MOST_FACTOR}x`);
  return { kind, factor };
}

function treasuryOf(key: string | readonly number[]): KeyPair {
  try {
    return keyPairOf(key);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidOptions(`treasuryKey: ${error.message}`);
    throw error;
  }
}

const CLUSTER_TIME = 'the time of a cluster is real; use engine bankrun or litesvm for another';

function clusterOf(data: z.output<typeof options>): ClusterConfig | null {
  const { clusterUrl, treasuryKey, usdcMint } = data;
  if (data.engine !== 'cluster') {
    for (const name of ['clusterUrl', 'treasuryKey', 'usdcMint'] as const) {
      if (data[name] !== undefined) throw new InvalidOptions(`${name}: only for engine cluster`);
    }
    return null;
  }
  if (clusterUrl === undefined)
    throw new InvalidOptions(
      'clusterUrl: engine cluster needs the URL of a JSON-RPC node (--cluster-url URL)',
    );
  if (treasuryKey === undefined)
    throw new InvalidOptions(
      "treasuryKey: engine cluster needs the treasury's secret key (--treasury-key FILE, base58 or as solana-keygen writes it)",
    );
  if (data.time !== undefined && data.time !== 'real') throw new InvalidOptions(`time: ${CLUSTER_TIME}`);
  if (data.startTime !== undefined) throw new InvalidOptions(`startTime: ${CLUSTER_TIME}`);
  if (data.confirmationSlots !== undefined)
    throw new InvalidOptions(
      'confirmationSlots: a cluster confirms by itself; only for engines in this process',
    );
  return { url: clusterUrl, treasury: treasuryOf(treasuryKey), usdcMint: usdcMint ?? null };
}

/** The allowed members of each object of options, by path. */
export const OPTION_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(options.shape),
  variants: Object.keys(variants.shape),
  'variants.errorStatus': codes,
  oracle: Object.keys(oracle.shape),
  limits: LIMIT_NAMES,
};

/** The error for an issue; for an unknown name or value, with a suggestion and the allowed values. */
function invalid(issue: z.core.$ZodIssue): InvalidOptions {
  const path = shortText(issue.path.join('.'));
  if (issue.code === 'unrecognized_keys') {
    const key = shortText(issue.keys[0] ?? '');
    const known = OPTION_MEMBERS[path] ?? [];
    const name = path === '' ? key : `${path}.${key}`;
    return new InvalidOptions(`${name}: unknown option${suggestion(key, known) || '.'}`, known);
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    return new InvalidOptions(refusedValue(path, issue.input, known), known);
  }
  return new InvalidOptions(`${path || 'options'}: ${issue.message}`);
}

/** Checks options and resolves every default once. Throws InvalidOptions. */
export function resolveConfig(given: unknown) {
  const parsed = options.safeParse(given, { reportInput: true });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw issue === undefined ? new InvalidOptions('options: not valid') : invalid(issue);
  }
  const { data } = parsed;
  if (data.state !== undefined) checkBesideState(data);
  const engine: (typeof ENGINES)[number] = data.engine ?? defaultEngine();
  const mode = timeMode(data.time ?? 'real');
  const startMs = data.startTime === undefined ? null : instantOf(data.startTime);
  const chosen: Variants = { ...DEFAULT_VARIANTS, ...(defined(data.variants ?? {}) as Partial<Variants>) };
  const slots = data.confirmationSlots ?? 0;
  const [confirmed, finalized] = typeof slots === 'number' ? [slots, slots] : slots;
  return {
    seed: String(data.seed ?? DEFAULT_SEED),
    engine,
    time: mode,
    /** `null` for the machine's clock when time runs, a fixed instant when it is frozen. */
    startMs: startMs ?? (mode.kind === 'frozen' ? FROZEN_START_MS : null),
    variants: chosen,
    limits: chosenLimits(DEFAULT_LIMITS, data.limits),
    /** The limits of the bank; part of the world's state. */
    bankLimits: chosenLimits(PUBLISHED_LIMITS, data.limits),
    oracle: {
      // Indicative rates of the service description; prices are round figures.
      usdcApy: data.oracle?.usdcApy ?? 0.017,
      solApy: data.oracle?.solApy ?? 0.052,
      usdcUsd: data.oracle?.usdcUsd ?? 1,
      solUsd: data.oracle?.solUsd ?? 150,
      csv: data.oracle?.csv ?? null,
      /** `null` for any age. */
      maxAgeMs: data.oracle?.maxAge === 'off' ? null : parseDuration(data.oracle?.maxAge ?? '1h'),
    },
    withdrawalDelayMs: parseDuration(data.withdrawalDelay ?? '10m') ?? 0,
    confirmationSlots: { confirmed, finalized },
    /** Number of snapshots kept before requests that may write. */
    history: data.history ?? 0,
    inspector: data.inspector ?? true,
    landingDelayMs: parseDuration(data.landingDelay ?? '20ms') ?? 0,
    freshSecrets: data.freshSecrets ?? false,
    /** `null` for an in-process engine. */
    cluster: clusterOf(data),
    /** `null` unless `dataDir` is set. */
    data: dataOf(data),
  };
}

/**
 * A complete configuration: every default resolved.
 * @interface
 */
export type SimulatorConfig = Readonly<ReturnType<typeof resolveConfig>>;
