import { dirname, relative, resolve } from 'node:path';
import { parseDuration } from '../../core/domain/calendar.js';
import { LIMITS } from '../../core/limits.js';
import { instantOf } from '../../world/sources.js';
import { FROZEN_START_MS, type SimulatorOptions } from '../../runtime/config.js';
import { optionsOf } from '../scenario/file/read.js';
import { BrokenStep, readValue, unknownName } from '../scenario/file/steps.js';
import { readDocuments } from '../scenario/file/yaml.js';
import { BrokenFile, textOf } from '../scenario/scenario.js';
import { optionOf, pointsOf } from './design.js';
import { METRICS, METRIC_NAMES, type MetricFacts } from './metric-names.js';
import { NO_MODULE, type StudyModule, loadModule, moduleDigest } from './module.js';
import { groupsOf } from './population.js';
import type { StudyManifest, StudyPoint, StudyRun } from './results.js';
import { type StudyFile, studySchema } from './schema.js';

export interface PlannedPoint extends StudyPoint {
  /** The number of agents by persona. */
  readonly agents: Readonly<Record<string, number>>;
  readonly population: StudyFile['population'];
  readonly world: SimulatorOptions;
}

/** Everything that determines the runs of a study, as JSON. */
export interface StudyPlan extends Pick<StudyManifest, 'study' | 'tickMs' | 'ticks' | 'metrics'> {
  /** The module's path relative to the working directory, and its digest. */
  readonly module: { readonly path: string; readonly sha256: string } | null;
  readonly startMs: number;
  readonly points: readonly PlannedPoint[];
}

export type PlannedRun = Pick<StudyRun, 'run' | 'point' | 'repetition'>;

const MOST_RUNS = 1_000_000;
const MOST_TICKS = 1_000_000;

const SWEPT = ['world.', 'population.'];

/** Limits on callers in studies, which have many agents and do not read events from memory. */
const STUDY_LIMITS = {
  loanApplications: LIMITS.loanApplications.most,
  jumpEvents: LIMITS.jumpEvents.most,
  eventLogBytes: LIMITS.eventLogBytes.least,
};

function parsedStudy(given: unknown): StudyFile {
  const study = readValue(studySchema, given);
  if (study.design === 'latin-hypercube' && study.points === undefined)
    throw new BrokenStep(['design'], 'a Latin hypercube needs points');
  if (study.design === 'grid' && study.points !== undefined)
    throw new BrokenStep(['points'], 'the values of a grid determine its points; leave this out');
  return study;
}

/** A copy of a value with a new value at a path; creates missing parents. */
function withValue(value: unknown, [name = '', ...rest]: readonly string[], put: unknown): unknown {
  const members = typeof value === 'object' && value !== null ? value : {};
  const next = (members as Record<string, unknown>)[name];
  return { ...members, [name]: rest.length === 0 ? put : withValue(next, rest, put) };
}

/** The study at a point. Throws BrokenStep with the path in the sweep. */
function studyAt(study: StudyFile, { values }: StudyPoint): StudyFile {
  const paths = Object.entries(values);
  const [last] = paths.at(-1) ?? [];
  const raw = paths.reduce<unknown>(
    (at, [path, value]) => withValue(at, path.split('.'), optionOf(study.sweep[path], value)),
    study,
  );
  try {
    return parsedStudy(raw);
  } catch (error) {
    throw inSweep(error, study, last);
  }
}

/** The error of a swept value, with its path in the sweep. */
function inSweep(error: unknown, { sweep }: StudyFile, otherwise?: string): unknown {
  if (!(error instanceof BrokenStep)) return error;
  const at = error.path.join('.');
  const path = Object.keys(sweep).find((swept) => swept === at || swept.startsWith(`${at}.`));
  return path === undefined && otherwise === undefined
    ? error
    : new BrokenStep(['sweep', path ?? otherwise ?? ''], error.message);
}

function worldOf(world: StudyFile['world'], file: string): SimulatorOptions {
  const options = optionsOf(world, file);
  return {
    ...options,
    time: 'frozen',
    variants: { review: 'auto', ...options.variants },
    limits: { ...STUDY_LIMITS, ...options.limits },
  };
}

function checkSweep({ sweep }: StudyFile): void {
  for (const path of Object.keys(sweep)) {
    if (path === 'world.startTime')
      throw new BrokenStep(['sweep', path], 'all runs start at the same instant');
    if (SWEPT.every((start) => !path.startsWith(start)))
      throw new BrokenStep(
        ['sweep', path],
        'expected the path of an option in world or population, such as world.limits.dailyWithdrawalUsd',
      );
  }
}

function checkMetrics({ metrics }: StudyFile, module: StudyModule): void {
  const known = [...METRIC_NAMES, ...Object.keys(module.metrics)];
  for (const [at, name] of metrics.entries())
    if (!known.includes(name)) throw new BrokenStep(['metrics', at], unknownName('metric', name, known));
}

function factsOf({ metrics }: StudyFile, module: StudyModule): StudyPlan['metrics'] {
  const known: Readonly<Record<string, Partial<MetricFacts>>> = { ...METRICS, ...module.metrics };
  return Object.fromEntries(
    metrics.map((name) => {
      const { summary = '', keys = '', of = 'instant', hasGaps = false, unit } = known[name] ?? {};
      const more = { ...(unit === undefined ? {} : { unit }), ...(hasGaps ? { hasGaps } : {}) };
      return [name, { summary, keys, of, ...more }];
    }),
  );
}

/** The plan of a study. Throws BrokenStep with the path of the error. */
function planned(study: StudyFile, path: string, module: StudyModule): Omit<StudyPlan, 'module'> {
  const [spanMs, tickMs] = [parseDuration(study.span) ?? 0, parseDuration(study.tick) ?? 0];
  const ticks = Math.floor(spanMs / tickMs);
  if (ticks < 1) throw new BrokenStep(['span'], `the span is shorter than a tick of ${study.tick}`);
  if (spanMs % tickMs > 0)
    throw new BrokenStep(['span'], `must be whole ticks of ${study.tick}: ${ticks} or ${ticks + 1} of them`);
  if (ticks > MOST_TICKS)
    throw new BrokenStep(['span'], `has ${ticks} ticks; at most ${MOST_TICKS} are allowed`);
  checkSweep(study);
  checkMetrics(study, module);
  let points: readonly StudyPoint[];
  try {
    points = pointsOf(study);
  } catch (error) {
    throw error instanceof RangeError ? new BrokenStep(['sweep'], error.message) : error;
  }
  if (points.length * study.repetitions > MOST_RUNS)
    throw new BrokenStep(['repetitions'], `the study has more than ${MOST_RUNS} runs`);
  const plannedPoints = points.map((point): PlannedPoint => {
    const { population, world } = studyAt(study, point);
    try {
      const groups = groupsOf(population, module);
      const agents = Object.fromEntries(groups.map(({ name, count }) => [name, count]));
      return { ...point, agents, population, world: worldOf(world, path) };
    } catch (error) {
      throw inSweep(error, study);
    }
  });
  const startTime = plannedPoints[0]?.world.startTime;
  const startMs = startTime === undefined ? FROZEN_START_MS : instantOf(startTime);
  return { study, startMs, tickMs, ticks, points: plannedPoints, metrics: factsOf(study, module) };
}

/** Reads a study and plans its runs; `seed` replaces the seed in the file. Rejects with BrokenFile. */
export async function planStudy(
  file: string,
  { seed }: { seed?: number | undefined } = {},
): Promise<StudyPlan> {
  const path = resolve(file);
  const [document, second] = readDocuments(textOf(file, file), file, ({ value, lineOf }) => ({
    given: parsedStudy(value),
    lineOf,
  }));
  if (document === undefined || second !== undefined)
    throw new BrokenFile(file, 1, 1, 'the file must contain exactly one study');
  const study = seed === undefined ? document.given : { ...document.given, seed };
  try {
    const modulePath = study.module === undefined ? null : resolve(dirname(path), study.module);
    const module = modulePath === null ? NO_MODULE : await loadModule(modulePath);
    return {
      ...planned(study, path, module),
      module:
        modulePath === null
          ? null
          : { path: relative(process.cwd(), modulePath), sha256: moduleDigest(modulePath) },
    };
  } catch (error) {
    const broken = error instanceof BrokenFile ? new BrokenStep(['module'], error.message) : error;
    if (!(broken instanceof BrokenStep)) throw error;
    throw new BrokenFile(file, document.lineOf(broken.path), 1, broken.located);
  }
}

export function runCount({ points, study }: StudyPlan): number {
  return points.length * study.repetitions;
}

/** A run by its number from 1. The repetitions of the first point are first. */
export function runOf({ study }: StudyPlan, run: number): PlannedRun {
  const at = run - 1;
  return { run, point: Math.floor(at / study.repetitions) + 1, repetition: (at % study.repetitions) + 1 };
}
