import { z } from 'zod';
import { parseDuration } from '../../core/domain/calendar.js';
import { agentSchema, worldSchema } from '../scenario/file/schema.js';
import { METRIC_NAMES } from './metric-names.js';

const MOST_AGENTS = 1_000_000;
const MOST_RUNS = 100_000;
const MOST_WEIGHT = 1_000_000;

const text = z.string();
const weight = z.number().min(0).max(MOST_WEIGHT);
const duration = text.refine(
  (given) => (parseDuration(given) ?? 0) > 0,
  'must be a duration such as 1h, 1d or 90d',
);

/** A persona of a study: its weight, and its differences from the persona that it is based on. */
const personaUse = z.strictObject({
  weight: weight.describe('weight in the population'),
  like: text.optional().describe('the persona that it is based on (default: the persona of the same name)'),
  begins: agentSchema
    .omit({ persona: true, wallet: true })
    .optional()
    .describe('initial funds, replacing the funds of the persona that it is based on'),
  income: z.number().min(0).max(1e9).optional().describe('USDC income from outside per 30 days'),
  does: z
    .record(text, weight)
    .optional()
    .describe('weights of actions, replacing the weights of the persona that it is based on'),
});

const population = z.strictObject({
  count: z.int().min(1).max(MOST_AGENTS).describe('number of agents'),
  personas: z
    .record(text, z.union([weight, personaUse]))
    .describe('personas of the agents by weight, as { saver: 4, spender: 1 }'),
  activity: z.number().min(0).max(100).default(1).describe('mean number of actions of an agent per tick'),
  spread: z
    .number()
    .min(0)
    .max(3)
    .default(0.5)
    .describe(
      'spread of wealth among the agents of a persona: the standard deviation of the logarithm of the factor on its funds',
    ),
});

/** A range of a swept option. A grid divides it into steps; a Latin hypercube draws from it. */
const range = z.strictObject({
  from: z.number(),
  to: z.number(),
  steps: z
    .int()
    .min(2)
    .max(1_000)
    .optional()
    .describe('number of values of a grid, including both ends (default 5)'),
  decimals: z.int().min(0).max(12).default(6).describe('number of decimals to which values are rounded'),
});

const RANGE_MEMBERS = Object.keys(range.shape);

/** Named values, such as whole oracles. */
const named = z
  .record(text, z.unknown())
  .refine(
    (values) =>
      Object.keys(values).length > 0 && !Object.keys(values).some((name) => RANGE_MEMBERS.includes(name)),
    'a range has from and to, optionally steps and decimals; named values need other names',
  );

/** The fixed options of a study's world: the options of a scenario's world without seed, time and state, which each run sets. */
export const studyWorldSchema = worldSchema.omit({ seed: true, time: true, state: true });

export const studySchema = z.strictObject({
  name: text.min(1).describe('the question that the study answers'),
  description: text.optional(),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(1)
    .describe('random seed (default 1)'),
  module: text
    .min(1)
    .optional()
    .describe('a TypeScript or JavaScript file with personas and metrics of your own, relative to the study'),
  population,
  span: duration.describe('simulated time of a run, such as 90d'),
  tick: duration.default('1d').describe('simulated time between two ticks (default 1d)'),
  world: studyWorldSchema.default({}).describe('the world of all runs, as in scenarios'),
  sweep: z
    .record(text, z.union([z.array(z.unknown()).min(1), range, named]))
    .default({})
    .describe(
      'options to vary, by path: a list or range, such as { world.limits.dailyWithdrawalUsd: [1000, 5000] }, or named values, such as { world.oracle: { calm: { solUsd: 150 }, crash: { solUsd: 40 } } }',
    ),
  design: z
    .enum(['grid', 'latin-hypercube'])
    .default('grid')
    .describe(
      'grid: all combinations of the swept values; latin-hypercube: a given number of points that cover all values evenly',
    ),
  points: z.int().min(1).max(MOST_RUNS).optional().describe('number of points of a Latin hypercube'),
  repetitions: z
    .int()
    .min(1)
    .max(MOST_RUNS)
    .default(1)
    .describe('runs of each point, with different seeds (default 1)'),
  metrics: z
    .array(text)
    .min(1)
    .default([...METRIC_NAMES])
    .describe('metrics to measure (default: all built-in metrics)'),
  output: z
    .strictObject({
      every: z.int().min(1).default(1).describe('ticks between two measurements (default 1)'),
      entries: z.boolean().default(false).describe('write the journal of each run as Parquet'),
      events: z.boolean().default(false).describe('write the events of each run as lines of JSON'),
    })
    .default({ every: 1, entries: false, events: false }),
});

/** A study, with all defaults. */
export type StudyFile = Readonly<z.output<typeof studySchema>>;

/** A study as written in a file. */
export type StudyInput = z.input<typeof studySchema>;

/** A value of a swept option; for an object or a list its name, or its JSON if it has no name. */
export type SweptValue = number | string | boolean;

export type Range = z.output<typeof range>;
