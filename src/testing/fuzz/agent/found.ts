import { z } from 'zod';
import { AGENT_RULES, type AgentRule } from './checks.js';
import { agentPlan } from './plan.js';

/** The name of what `fuzzAgent` finds, by which it is known. */
export const FOUND_FORMAT = 'agent-bank-sim agent finding';

/** The version that is written. */
export const FOUND_VERSION = 1;

const found = z.object({
  format: z.literal(FOUND_FORMAT),
  version: z.literal(FOUND_VERSION),
  /** What it was found with. */
  seed: z.int(),
  run: z.int().min(0),
  rule: z.enum(Object.keys(AGENT_RULES) as [AgentRule, ...AgentRule[]]),
  /** The whole story. */
  text: z.string(),
  /** What went wrong, a sentence each. */
  mishaps: z.array(z.string()),
  /** What the agent did, call by call. */
  story: z.array(z.string()),
  /** Whether the plan broke the rule again when it was played a second time; an agent that draws by chance may not. */
  repeats: z.boolean(),
  mustSucceed: z.boolean(),
  limits: z.object({ calls: z.int().min(1), waitMs: z.number().positive(), realMs: z.number().positive() }),
  plan: agentPlan,
});

/** What an agent did wrong, as plain JSON. */
export type FoundInAgent = z.output<typeof found>;

/** Reads a finding that was kept. Throws RangeError for what is none. */
export function readFound(given: unknown): FoundInAgent {
  const parsed = found.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RangeError(`no finding of fuzzAgent: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
