import { z } from 'zod';
import type {
  Exchange,
  Holdings,
  PropertyResult,
  RuleResult,
  ScenarioResult,
  StepResult,
} from '../results.js';
import type { ReportLine } from './json.js';

// Objects are loose: a newer simulator's report may have more members.
const verdict = z.enum(['passed', 'failed', 'skipped']);
const target = z.enum(['in-process', 'http', 'deployed']);
const texts = z.record(z.string(), z.string());
const records = z.array(z.record(z.string(), z.unknown()));

// JSON omits undefined members.
const anything = z.unknown().optional();

const exchange: z.ZodType<Exchange> = z
  .looseObject({
    to: z.enum(['bank', 'control', 'service']),
    method: z.string(),
    path: z.string(),
    requestHeaders: texts,
    requestBody: anything,
    status: z.number().nullable(),
    responseHeaders: texts,
    responseBody: anything,
    problem: z.string().nullable(),
    ms: z.number(),
  })
  .transform((read) => ({ ...read, requestBody: read.requestBody, responseBody: read.responseBody }));

const pair = z.looseObject({ usdc: z.number(), sol: z.number() });
const holdings: z.ZodType<Holdings> = z.looseObject({
  wallet: pair,
  checking: pair.nullable(),
  savings: pair.nullable(),
  debtUsdc: z.number().nullable(),
});
const balances = z.record(z.string(), holdings).nullable();

const step: z.ZodType<StepResult> = z.lazy(() =>
  z
    .looseObject({
      place: z.string(),
      title: z.string(),
      args: anything,
      note: z.string().nullable(),
      line: z.number().nullable(),
      verdict,
      ms: z.number(),
      exchanges: z.array(exchange),
      mismatches: z.array(z.looseObject({ path: z.string(), expected: z.string(), actual: z.string() })),
      problem: z.string().nullable(),
      explanation: z.string().nullable(),
      before: balances,
      after: balances,
      at: z.string().nullable(),
      entries: records,
      transactions: records,
      steps: z.array(step),
    })
    .transform((read) => ({ ...read, args: read.args })),
);

const property: z.ZodType<PropertyResult> = z.looseObject({
  runs: z.number(),
  steps: z.number(),
  seed: z.number(),
  goals: z.record(z.string(), z.number()),
  counterexample: z.string().nullable(),
});

const rule: z.ZodType<RuleResult> = z.looseObject({
  rule: z.string(),
  sentence: z.string(),
  outcome: z.enum(['held', 'broken', 'not testable here', 'not covered']),
  scenarios: z.array(z.string()),
});

const begin = z.looseObject({
  kind: z.literal('begin'),
  scenarios: z.number(),
  target,
  engine: z.string(),
  workers: z.number(),
  shard: z.string().nullable(),
});

const scenario = z.looseObject({
  kind: z.literal('scenario'),
  id: z.string(),
  file: z.string(),
  line: z.number(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  covers: z.array(z.string()),
  variants: z.array(z.string()),
  verdict,
  reason: z.string().nullable(),
  target,
  engine: z.string(),
  seed: z.string(),
  ms: z.number(),
  steps: z.array(step),
  rerun: z.string(),
  inspector: z.string().nullable().default(null),
  property: property.nullable(),
}) satisfies z.ZodType<ScenarioResult>;

const end = z.looseObject({
  kind: z.literal('end'),
  startedAt: z.string(),
  durationMs: z.number(),
  tally: z.looseObject({ passed: z.number(), failed: z.number(), skipped: z.number() }),
  rules: z.array(rule),
});

/** A line of a JSON report. */
export const REPORT_LINE: z.ZodType<ReportLine> = z.discriminatedUnion('kind', [begin, scenario, end]);
