import { inspect } from 'node:util';
import { NATIVE_BUILDS } from '../chain/engines/native.js';
import { packageVersion } from '../core/package-root.js';
import { suggestion } from '../core/suggestion.js';
import type { FuzzLimits } from './fuzz/limits.js';
import { DEFAULT_VARIANTS, type Variants } from '../core/domain/variants.js';
import { inProcessFuzz } from './drivers/in-process-fuzz.js';
import { CampaignJobs, type CampaignTools } from './fuzz/campaign/campaign-jobs.js';
import type { CampaignState, Progress } from './fuzz/campaign/campaign-state.js';
import type { CampaignValue } from './fuzz/campaign/campaign-value.js';
import type { CorpusEntry } from './fuzz/campaign/corpus.js';
import { propertyOf } from './fuzz/campaign/properties.js';
import type { AfterSequence } from './fuzz/campaign/range-player.js';
import { runCampaign } from './fuzz/campaign/run-campaign.js';
import type { Summary } from './fuzz/campaign/summary.js';
import type { Command } from './fuzz/commands/command.js';
import { COMMANDS } from './fuzz/commands/commands.js';
import type { FailureFile } from './fuzz/failure/failure-file.js';
import type { CheckSuite } from './fuzz/play/replay.js';
import { InvalidCampaign } from './fuzz/invalid-campaign.js';
import { Model } from './fuzz/model/model.js';
import { REVIEW_POLICIES } from './fuzz/model/loan.js';
import type { ServiceModel, ModelConfig } from './fuzz/model/types.js';
import { AGENT_NAMES, type ChangeRule, type ModelRunner, type Rule } from './fuzz/play/model-runner.js';
import type { Failure } from './fuzz/play/sequences.js';
import type { FuzzEngine, FuzzTransport } from './fuzz/world.js';
import { InlineRunner } from './jobs/inline-runner.js';
import type { JobRunner } from './jobs/job-runner.js';

export interface CampaignInput {
  /** Property to test: a name from PROPERTIES. Default: `everything`. */
  readonly property?: string;
  /** The first run, counted from 0: fast-check's `path`. Default: 0. */
  readonly path?: number;
  /** Number of sequences. Default: 1,000, or as many as fit into a time budget. */
  readonly runs?: number;
  /** Maximum steps per sequence. Default: 60. */
  readonly steps?: number;
  /** Number of agents, 1 to 8. Default: 3. */
  readonly agents?: number;
  /** Real milliseconds after which no new sequence begins. */
  readonly timeBudgetMs?: number;
  /** fast-check's seed. It determines every run. Default: 1. */
  readonly seed?: number;
  /** Default: `litesvm`. */
  readonly engine?: FuzzEngine;
  /** Default: the engine of the property. */
  readonly transport?: FuzzTransport;
  readonly variants?: Partial<Variants>;
  /** Limits of the bank and on callers that differ from the defaults. */
  readonly limits?: Partial<FuzzLimits>;
  /** Draws all limits that are not given. Default: as the property. */
  readonly variesLimits?: boolean;
  /** Draw only these commands. */
  readonly only?: readonly string[];
  /** Relative frequency by command: 0 means never; commands not listed keep their weight. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Custom commands, in addition to the service's. A command with the name of a built-in command replaces it. */
  readonly commands?: readonly Command[];
  /** Custom rules, checked after every step. A rule that compares steps is a `ChangeRule`. */
  readonly rules?: readonly (Rule | ChangeRule)[];
  /** Custom model. A subclass of `Model` with members or constructor arguments of its own must override `copy`. */
  readonly makeModel?: (modelConfig: ModelConfig) => ServiceModel;
  /** Half of the sequences begin as one of these. The result contains the sequences that reach something new. */
  readonly corpus?: readonly CorpusEntry[];
  /** The result of an unfinished campaign with equal options. This campaign continues it and includes its result. */
  readonly earlier?: Summary;
  /** Maximum sequences to play while shrinking a counterexample. Default: 2,000. */
  readonly shrinkAttempts?: number;
  /** Maximum real milliseconds of shrinking a counterexample. Default: 60,000. */
  readonly shrinkTimeMs?: number;
  /** Ends after this many counterexamples, each with a different rule or shape. Default: 1. */
  readonly maxFinds?: number;
  /** Kinds of failures to ignore: `failure.kind` in full or its prefix. */
  readonly ignore?: readonly string[];
  /** Known counterexamples, which are not reported again. */
  readonly known?: readonly FailureFile[];
  /** Called after each sequence; return false to end the campaign. */
  readonly onProgress?: (progress: Progress) => boolean | void;
  /** Called when a failure is found, before it is shrunk. */
  readonly onFound?: (failure: Failure) => void;
  /** Called with each counterexample before the campaign continues. */
  readonly onKept?: (file: FailureFile) => void | Promise<void>;
  /** When aborted, the campaign ends after the current sequence and does not shrink a failure. */
  readonly signal?: AbortSignal;
}

/** The options that define a world and what is drawn in it. */
export const SEQUENCE_OPTIONS = [
  'property',
  'steps',
  'agents',
  'engine',
  'transport',
  'variants',
  'limits',
  'only',
  'weights',
  'commands',
  'makeModel',
] as const satisfies readonly (keyof CampaignInput)[];

const CAMPAIGN_OPTIONS: readonly (keyof CampaignInput)[] = [
  ...SEQUENCE_OPTIONS,
  'path',
  'runs',
  'timeBudgetMs',
  'seed',
  'variesLimits',
  'rules',
  'corpus',
  'earlier',
  'shrinkAttempts',
  'shrinkTimeMs',
  'maxFinds',
  'ignore',
  'known',
  'onProgress',
  'onFound',
  'onKept',
  'signal',
];

const DEFAULT_RUNS = 1_000;

/** Versions of this package and of its dependencies. */
function software(): Record<string, string> {
  const engines = Object.entries(NATIVE_BUILDS).map(([name, { version }]) => [name, version]);
  return { 'agent-bank-sim': packageVersion(), node: process.version, ...Object.fromEntries(engines) };
}

function commandsWith(own: readonly Command[]): readonly Command[] {
  const names = new Set(own.map(({ name }) => name));
  return [...COMMANDS.filter(({ name }) => !names.has(name)), ...own];
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A rule that, where the given one throws, is broken with the text of the exception. */
function withoutExceptions(rule: Rule | ChangeRule): ChangeRule {
  const begun = async (runner: ModelRunner): Promise<Rule> => {
    const check = typeof rule === 'function' ? rule : await rule.start(runner);
    return (...step) => (async () => check(...step))().catch(textOf);
  };
  return {
    name: rule.name ?? '',
    start: (runner) => begun(runner).catch((error: unknown) => () => textOf(error)),
  };
}

/** The commands, rules and model of a campaign. A rule that throws is broken. */
export function checkSuiteOf({
  commands = [],
  rules = [],
  makeModel,
}: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'>): CheckSuite {
  checkRules('a rule', rules);
  return {
    commands: commandsWith(commands),
    rules: rules.map(withoutExceptions),
    makeModel: makeModel ?? ((modelConfig) => new Model(modelConfig)),
    isOwnModel: makeModel !== undefined,
  };
}

/** Throws InvalidCampaign for a rule or invariant of the wrong type. */
export function checkRules(what: string, rules: readonly unknown[]): void {
  for (const rule of rules)
    if (typeof rule !== 'function' && typeof (rule as { start?: unknown } | null)?.start !== 'function')
      throw new InvalidCampaign(`${what} must be a function, or an object with the function start`);
}

/** Throws InvalidCampaign for a name that is not known. */
export function checkNames(what: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = suggestion(unknown, known) || ';';
  throw new InvalidCampaign(`there is no ${what} ${unknown}${hint} there are ${known.join(', ')}`);
}

/** The least values of options that are whole numbers. */
const LEAST = { steps: 1, agents: 1, runs: 0, path: 0, shrinkAttempts: 0 } as const;

function checkNumbers(input: CampaignInput): void {
  for (const [name, least] of Object.entries(LEAST)) {
    const value = input[name as keyof typeof LEAST] ?? least;
    const most = name === 'agents' ? AGENT_NAMES.length : Number.POSITIVE_INFINITY;
    const range = name === 'agents' ? `${least} to ${most}` : `${least} or more`;
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidCampaign(`${name} must be ${range} and whole, not ${inspect(value)}`);
  }
  for (const [name, weight] of Object.entries(input.weights ?? {}))
    if (!(Number.isFinite(weight) && weight >= 0))
      throw new InvalidCampaign(`the weight of ${name} must be a number, 0 or more, not ${inspect(weight)}`);
}

function checkReview(review: string): void {
  if (!REVIEW_POLICIES.some((policy) => policy === review))
    throw new InvalidCampaign(
      `the model knows the review policies ${REVIEW_POLICIES.join(' and ')}, not "${review}"`,
    );
}

/** A campaign with all defaults. Throws InvalidCampaign for unknown names, and for a review policy that the model does not know. */
export function campaignValue(input: CampaignInput, known = CAMPAIGN_OPTIONS): CampaignValue {
  checkNames('option', Object.keys(input), known);
  const { only = [], weights = {}, timeBudgetMs, property = 'everything', path: first = 0 } = input;
  const { seed = 1, steps = 60, agents = 3, shrinkAttempts = 2_000, shrinkTimeMs = 60_000 } = input;
  const runs = input.runs ?? (timeBudgetMs === undefined ? DEFAULT_RUNS : null);
  const { transport = 'direct', variesLimits = false } = propertyOf(property);
  // A custom model can know other policies.
  if (input.makeModel === undefined) checkReview(input.variants?.review ?? DEFAULT_VARIANTS.review);
  const commands = commandsWith(input.commands ?? []).map(({ name }) => name);
  checkNames('command', [...only, ...Object.keys(weights)], commands);
  checkNumbers(input);
  return {
    property,
    seed,
    first,
    end: runs === null ? null : first + runs,
    steps,
    agents,
    world: {
      engine: input.engine ?? 'litesvm',
      transport: input.transport ?? transport,
      seed: 'fuzz',
      variants: input.variants ?? {},
      ...(input.limits === undefined ? {} : { limits: input.limits }),
    },
    ...((input.variesLimits ?? variesLimits) ? { variesLimits: true as const } : {}),
    only,
    weights,
    corpus: input.corpus ?? [],
    keepsSequences: input.corpus !== undefined,
    ignored: input.ignore ?? [],
    shrinkAttempts,
    shrinkTimeMs,
  };
}

/** The jobs of campaigns. Default: the built-in commands and model. */
export function fuzzJobs(
  own: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'> = {},
  afterSequence?: AfterSequence,
): CampaignJobs {
  const tools: CampaignTools = {
    target: inProcessFuzz,
    checkSuite: checkSuiteOf(own),
    software: software(),
  };
  return new CampaignJobs(tools, afterSequence);
}

/**
 * Runs a campaign on a runner that has the jobs of `fuzzJobs`. `key` is unique among the runner's campaigns. `onState` is called when the
 * campaign is ready and after each range, with a function that returns whether it was stopped or has used its time.
 */
export function campaignBy(
  { runner, key }: { readonly runner: JobRunner; readonly key: string },
  input: Omit<CampaignInput, 'onProgress'>,
  onState: (state: CampaignState, isOver: () => boolean) => void | Promise<void>,
): Promise<Summary> {
  const { timeBudgetMs, signal } = input;
  const begunMs = performance.now();
  const isOver = () =>
    signal?.aborted === true || (timeBudgetMs !== undefined && performance.now() - begunMs >= timeBudgetMs);
  return runCampaign(campaignValue(input), {
    key,
    runner,
    earlier: input.earlier ?? null,
    known: input.known ?? [],
    maxFinds: input.maxFinds ?? 1,
    now: () => performance.now(),
    isOver,
    onState: (state) => onState(state, isOver),
    onFound: (failure) => input.onFound?.(failure),
    onKept: (file) => input.onKept?.(file),
  });
}

/** A campaign in this process, which can end after each sequence. */
export class InlineCampaigns {
  readonly #jobs: CampaignJobs;
  readonly runner: JobRunner;
  #now: { readonly state: CampaignState; readonly isOver: () => boolean } | null = null;

  /** `onProgress` is called after each sequence. It returns false to end the campaign. */
  constructor(
    own: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'>,
    onProgress: (progress: Progress) => boolean | void,
  ) {
    this.#jobs = fuzzJobs(own, (tally) => {
      if (this.#now === null) return true;
      const { state, isOver } = this.#now;
      return onProgress(state.progress(tally)) !== false && !isOver();
    });
    this.runner = new InlineRunner(this.#jobs.table);
  }

  /** Call it with the current state of the campaign. */
  onState(state: CampaignState, isOver: () => boolean): void {
    this.#now = { state, isOver };
  }

  /** Waits for the range in progress, which uses the world until it ends. */
  async close(): Promise<void> {
    await this.runner.close();
    await this.#jobs.close();
  }
}

/**
 * Plays random sequences of commands and checks every response against a model of the service. Ends after `maxFinds` broken rules, or when the runs or the time budget are used up. Shrinks failing sequences and replays them in fresh worlds of both engines. Throws InvalidCampaign, a RangeError, for unknown names.
 */
export async function campaign(input: CampaignInput = {}): Promise<Summary> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(input.signal === undefined ? [] : [input.signal])]);
  const played = new InlineCampaigns(input, (progress) => {
    if (input.onProgress?.(progress) === false) ended.abort();
  });
  const stop = () => played.runner.stop();
  signal.addEventListener('abort', stop);
  try {
    return await campaignBy({ runner: played.runner, key: 'campaign' }, { ...input, signal }, (...now) =>
      played.onState(...now),
    );
  } finally {
    await played.close();
  }
}
