import { z } from 'zod';
import { EMBEDDED_ENGINES, valueSource } from '../../../runtime/config.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { ACCOUNT_NAMES } from '../../../core/domain/entry.js';
import { ERRORS } from '../../../core/domain/errors.js';
import { ENTRY_KINDS } from '../../../core/domain/history.js';
import { hintOrLikely, suggestion } from '../../../core/suggestion.js';
import { EVENT_KINDS } from '../../../runtime/due-runner.js';
import { PAYMENT_ERRORS } from '../../../sdk/x402/paying/payment-error.js';
import { PAYWALL_CODES } from '../../../sdk/x402/refusals.js';
import { rate } from '../../../api/control/rate.js';
import { EVENT_LOG_KINDS } from '../../../runtime/events/event.js';
import { isObject } from '../../../core/json.js';
import { type BadMatcher, badMatcher } from '../expecting/matchers.js';
import { hasReference } from '../references.js';
import { PERSONAS, type Persona } from '../../personas.js';

const text = z.string();
/** Agents' names, as a regular expression without anchors. */
export const AGENT_NAME = '[a-z][A-Za-z0-9_]*';
const persona = z.enum(Object.keys(PERSONAS) as [string, ...string[]]);
const amount = z.number().nonnegative().max(1e9);
const money = z.strictObject({ usdc: amount.optional(), sol: amount.optional() });

export const agentSchema = z
  .strictObject({
    usdc: amount.optional().describe('USDC in its wallet on chain (default 0)'),
    sol: amount.optional().describe('SOL in its wallet on chain (default 1)'),
    checking: money
      .optional()
      .describe('deposited before the first step, in addition to the wallet balances'),
    savings: money
      .optional()
      .describe('in savings before the first step, in addition to the wallet balances'),
    wallet: z
      .union([z.int().min(0).max(9), text])
      .optional()
      .describe(
        'an existing wallet with its balances instead of a new wallet: the number of a dev wallet, or an address',
      ),
    persona: persona.optional(),
    identity: z
      .strictObject({ x: z.boolean().optional(), github: z.boolean().optional() })
      .optional()
      .describe('accounts of its human operator that are linked to the agent'),
  })
  .describe('an agent and its initial balances');

/** Initial rates and prices, which `oracle.set` changes. */
export const oracleValues = {
  usdc: rate.optional().describe('savings rate of USDC: 1.7%, 0.017, or a source'),
  sol: rate.optional().describe('savings rate of SOL'),
  usdcUsd: valueSource.optional().describe('USD price of USDC'),
  solUsd: valueSource.optional().describe('USD price of SOL'),
};

const oracle = z.strictObject({
  ...oracleValues,
  file: text.min(1, 'name a file').optional().describe('a series file (CSV), relative to the scenario'),
  maxAge: text.optional().describe('maximum age of a price while the oracle is stale; off: unlimited'),
});

/** An account in the format of `solana account --output json`; null for none. */
export const accountSchema = z.looseObject({
  pubkey: text,
  account: z
    .looseObject({
      lamports: z.union([z.int().nonnegative(), text]),
      data: z.union([text, z.tuple([text, text])]),
      owner: text,
      executable: z.boolean(),
    })
    .nullable(),
});

export const worldSchema = z.strictObject({
  seed: z.union([z.int(), text]).optional().describe('seed of all keys, ids and random values'),
  engine: z.enum(EMBEDDED_ENGINES).optional().describe('chain engine (default: the engine of the runner)'),
  state: text
    .min(1, 'name a file')
    .optional()
    .describe(
      'start from a copy of this world: a state file, relative to the scenario, or its content as a data: URL',
    ),
  startTime: text.optional().describe('initial time, ISO 8601'),
  time: text.optional().describe('frozen (default), real, or a factor such as 60x'),
  variants: z
    .strictObject(
      Object.fromEntries(Object.keys(DEFAULT_VARIANTS).map((name) => [name, z.unknown().optional()])),
    )
    .optional()
    .describe(
      'variants of behaviour that the published descriptions leave open; see docs/reference/fidelity.md',
    ),
  oracle: oracle.optional(),
  review: text.optional().describe('review policy: manual, auto or delay:2h'),
  withdrawalDelay: text.optional().describe('delay of a queued withdrawal'),
  confirmationSlots: z.union([z.int(), z.tuple([z.int(), z.int()])]).optional(),
  limits: z
    .record(z.string(), z.number())
    .optional()
    .describe('limits of the bank and on callers; see docs/reference/limits.md'),
});

/** The first invalid matcher in the expectations of the response, the chain and the journal; null for none. */
function badExpectation(expectations: object): BadMatcher | null {
  for (const [name, member] of Object.entries(expectations)) {
    // Member names here are agents and accounts.
    const isByName = (name === 'chain' || name === 'journal') && isObject(member);
    const bad = isByName ? badExpectation(member) : badMatcher(member);
    if (bad !== null) return { ...bad, path: [name, ...bad.path] };
  }
  return null;
}

/** What `events` and `noEvents` may name. */
const EVENT_NAMES: readonly string[] = [
  ...new Set<string>([...EVENT_LOG_KINDS, ...EVENT_KINDS, ...ENTRY_KINDS]),
];
const CODES = Object.keys({ ...ERRORS, ...PAYMENT_ERRORS, ...PAYWALL_CODES });

/** Refuses an unknown name, which never occurs: an expectation that it does not occur would always hold. */
function checkNames(
  lists: Readonly<Record<string, readonly unknown[] | undefined>>,
  what: string,
  known: readonly string[],
  context: z.RefinementCtx,
): void {
  for (const [member, names = []] of Object.entries(lists))
    for (const [at, name] of names.entries()) {
      if (typeof name !== 'string' || known.includes(name) || hasReference(name)) continue;
      const message = `there is no ${what} ${name}${hintOrLikely(name, known)}`;
      context.addIssue({ code: 'custom', message, path: [member, at] });
    }
}

/** Refuses `code: { not: … }` with a misspelt code. Faults and services may have codes of their own. */
function checkUnwantedCode(code: unknown, context: z.RefinementCtx): void {
  const unwanted = isObject(code) ? code['not'] : undefined;
  if (typeof unwanted !== 'string' || CODES.includes(unwanted)) return;
  const hint = suggestion(unwanted, CODES);
  if (hint !== '')
    context.addIssue({
      code: 'custom',
      message: `there is no code ${unwanted}${hint}`,
      path: ['code', 'not'],
    });
}

const balance = z.unknown();
/** Expectations. Any other member is a path in the response. */
export const expectationsSchema = z
  .looseObject({
    chain: z
      .record(text, z.looseObject({ usdc: balance.optional(), sol: balance.optional() }))
      .optional()
      .describe('on-chain balances of agents or addresses'),
    journal: z
      .partialRecord(
        z.enum(ACCOUNT_NAMES as unknown as [string, ...string[]]),
        z.strictObject({ USDC: balance.optional(), SOL: balance.optional() }),
      )
      .optional()
      .describe('journal totals, such as { checking: { USDC: 500 } }'),
    events: z
      .array(z.union([text, z.looseObject({ kind: z.enum(EVENT_LOG_KINDS).optional() })]))
      .optional()
      .describe(
        'events that must have occurred since the step began, in this order; other events can occur between them',
      ),
    noEvents: z.array(text).optional().describe('events that must not have occurred since the step began'),
  })
  .superRefine((expectations, context) => {
    const bad = badExpectation(expectations);
    if (bad !== null) context.addIssue({ code: 'custom', message: bad.message, path: [...bad.path] });
    const { events, noEvents, code } = expectations;
    checkNames({ events, noEvents }, 'event', EVENT_NAMES, context);
    checkUnwantedCode(code, context);
  })
  .meta({ id: 'expectations', description: 'expected result' });

/** Members that every step can have in addition to its action. */
export const stepMembers = {
  expect: expectationsSchema.optional(),
  save: z
    .union([text, z.record(text, text)])
    .optional()
    .describe('name for the response, or names for its members by path'),
  note: text.optional().describe('description for readers'),
  key: z.unknown().optional().describe('Idempotency-Key header of the call'),
  headers: z.record(text, z.unknown()).optional().describe('request headers'),
};

export type StepMembers = z.output<z.ZodObject<typeof stepMembers>>;

/** A property: conditions that must hold for every sequence of actions. */
export const propertySchema = z
  .strictObject({
    agents: z.int().min(1).max(10).default(2),
    behaviours: z
      .partialRecord(persona, z.int().min(1).max(100))
      .optional()
      .describe('personas of the agents, with weights'),
    operations: z
      .array(text)
      .min(1)
      .optional()
      .describe('actions of the agents with weights, instead of personas'),
    steps: z.int().min(1).max(1_000).default(30).describe('maximum number of steps per run'),
    runs: z.int().min(1).max(10_000).default(10).describe('number of worlds'),
    seed: z.int().optional().describe('seed of the random choices (default: the seed of the world)'),
    sometimes: z
      .array(text)
      .default([])
      .describe('goals that at least one run must reach: an error code, an event or an entry'),
    never: z.array(text).default([]).describe('goals that no run may reach'),
  })
  .superRefine(({ sometimes, never }, context) =>
    checkNames({ sometimes, never }, 'event or code', [...EVENT_NAMES, ...CODES], context),
  )
  .describe('conditions that must hold for every sequence of actions');

export const scenarioSchema = z.strictObject({
  name: text.min(1).describe('name of the scenario: a sentence that says what it shows'),
  description: text.optional(),
  tags: z.array(text).optional(),
  world: worldSchema.optional(),
  invariants: z
    .enum(['always', 'end', 'off'])
    .optional()
    .describe('when invariants are verified (default: after every step)'),
  agents: z
    .record(text.regex(new RegExp(`^${AGENT_NAME}$`), 'must be a name such as alice'), agentSchema.nullable())
    .optional(),
  steps: z.array(z.unknown()).optional(),
  property: propertySchema.optional(),
  finally: expectationsSchema.optional().describe('expected final state'),
});

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type WorldFile = z.output<typeof worldSchema>;
export type AgentFile = z.output<typeof agentSchema>;

/** The initial holdings of a persona, as scenarios write them. */
export function holdingsOf({ begins: { wallet, ...rest } }: Pick<Persona, 'begins'>): AgentFile {
  return { ...wallet, ...rest };
}

export type PropertyFile = z.output<typeof propertySchema>;
export type Expectations = z.output<typeof expectationsSchema>;
