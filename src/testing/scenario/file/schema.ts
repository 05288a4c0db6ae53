import { z } from 'zod';
import { EMBEDDED_ENGINES, priceSource, valueSource } from '../../../runtime/config.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { ACCOUNT_NAMES } from '../../../core/domain/entry.js';
import { rate } from '../../../api/control/rate.js';
import { EVENT_LOG_KINDS } from '../../../runtime/events/event.js';
import { COVERABLE } from '../rules.js';
import { PERSONAS } from '../personas.js';

const text = z.string();
const AGENT_NAME = /^[a-z][A-Za-z0-9_]*$/;
const amount = z.number().nonnegative().max(1e9);
const money = z.strictObject({ usdc: amount.optional(), sol: amount.optional() });

/** An agent's initial holdings. */
export const agentSchema = z
  .strictObject({
    usdc: amount.optional().describe('USDC in its wallet on chain; none when left out'),
    sol: amount.optional().describe('SOL in its wallet on chain; 1 when left out'),
    checking: money.optional().describe('deposited before the first step, from tokens on top of the above'),
    savings: money.optional().describe('saved before the first step, from tokens on top of the above'),
    persona: z.enum(Object.keys(PERSONAS) as [string, ...string[]]).optional(),
    identity: z
      .strictObject({ x: z.boolean().optional(), github: z.boolean().optional() })
      .optional()
      .describe('accounts that a human operator has linked to it'),
  })
  .describe('an agent and what it has');

const oracle = z.strictObject({
  usdc: rate(valueSource).optional().describe('what USDC savings earn: 1.7%, 0.017, or a source'),
  sol: rate(valueSource).optional().describe('what SOL savings earn'),
  usdcUsd: priceSource.optional().describe('what a USDC is worth in USD'),
  solUsd: priceSource.optional().describe('what a SOL is worth in USD'),
  file: text.optional().describe('a series file (CSV), relative to the scenario'),
  maxAge: text.optional().describe('how old a price may be while the data is stale; off for any age'),
});

/** The world of a scenario. */
export const worldSchema = z.strictObject({
  seed: z.union([z.int(), text]).optional().describe('of all keys, ids and chance'),
  engine: z.enum(EMBEDDED_ENGINES).optional().describe('the chain; the runner’s choice when left out'),
  startTime: text.optional().describe('where time begins, ISO 8601'),
  time: text.optional().describe('frozen when left out; real, or a factor such as 60x'),
  variants: z
    .strictObject(
      Object.fromEntries(Object.keys(DEFAULT_VARIANTS).map((name) => [name, z.unknown().optional()])),
    )
    .optional()
    .describe('switches over what the published descriptions leave open; see docs/fidelity.md'),
  oracle: oracle.optional(),
  review: text.optional().describe('who decides applications: manual, auto, delay:2h, script:approve,deny'),
  withdrawalDelay: text.optional().describe('how long a queued withdrawal waits'),
  confirmationSlots: z.union([z.int(), z.tuple([z.int(), z.int()])]).optional(),
  limits: z.record(z.string(), z.int()).optional().describe('how much may be asked; see docs/limits.md'),
});

const balance = z.unknown();
/** Expectations: any member other than these is a path in the answer. */
export const expectationsSchema = z
  .looseObject({
    chain: z
      .record(text, z.looseObject({ usdc: balance.optional(), sol: balance.optional() }))
      .optional()
      .describe('what agents or addresses hold on chain'),
    journal: z
      .partialRecord(
        z.enum(ACCOUNT_NAMES as unknown as [string, ...string[]]),
        z.strictObject({ USDC: balance.optional(), SOL: balance.optional() }),
      )
      .optional()
      .describe('totals of accounts of the journal, such as { checking: { USDC: 500 } }'),
    events: z
      .array(z.union([text, z.looseObject({ kind: z.enum(EVENT_LOG_KINDS).optional() })]))
      .optional()
      .describe('what must have happened since the step began, in this order, with others between'),
    noEvents: z.array(text).optional().describe('what must not have happened since the step began'),
  })
  .describe('what is to come of it');

/** Members that every step can have besides its action. */
export const stepMembers = {
  expect: expectationsSchema.optional(),
  save: z
    .union([text, z.record(text, text)])
    .optional()
    .describe('a name for the answer, or names for members of it by path'),
  note: text.optional().describe('words for people'),
  key: z.unknown().optional().describe('the Idempotency-Key of the call'),
  headers: z.record(text, z.unknown()).optional().describe('headers of the call'),
};

/** Behaviours by weight, or operations. */
const behaviours = z.partialRecord(
  z.enum(Object.keys(PERSONAS) as [string, ...string[]]),
  z.int().min(1).max(100),
);

/** A property: what must hold whatever agents do. */
export const propertySchema = z
  .strictObject({
    agents: z.int().min(1).max(10).default(2),
    behaviours: behaviours.optional().describe('how agents behave, with weights'),
    operations: z.array(text).min(1).optional().describe('what agents do, instead of behaviours'),
    steps: z.int().min(1).max(1_000).default(30).describe('the most in one run'),
    runs: z.int().min(1).max(10_000).default(10).describe('worlds that are played'),
    seed: z.int().optional().describe('of the choices; the world’s own when left out'),
    sometimes: z
      .array(text)
      .default([])
      .describe('goals that must be reached at least once over all runs: an error code, an event, an entry'),
    never: z.array(text).default([]).describe('goals that must not be reached'),
  })
  .describe('what must hold whatever agents do');

/** A scenario in file notation. */
export const scenarioSchema = z.strictObject({
  name: text.min(1).describe('what it shows, as a sentence'),
  description: text.optional(),
  tags: z.array(text).optional(),
  covers: z
    .array(z.enum(COVERABLE as [string, ...string[]]))
    .optional()
    .describe('rules of the service that it is about'),
  world: worldSchema.optional(),
  invariants: z
    .enum(['always', 'end', 'off'])
    .optional()
    .describe('when books and chain are proved: after every step when left out'),
  agents: z.record(text.regex(AGENT_NAME, 'must be a name such as alice'), agentSchema.nullable()).optional(),
  steps: z
    .array(z.union([text, z.looseObject(stepMembers)]))
    .optional()
    .describe('what happens, in order'),
  property: propertySchema.optional(),
  finally: expectationsSchema.optional().describe('what must hold at the end'),
});

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type WorldFile = z.output<typeof worldSchema>;
export type AgentFile = z.output<typeof agentSchema>;
export type PropertyFile = z.output<typeof propertySchema>;
export type Expectations = z.output<typeof expectationsSchema>;
