import { z } from 'zod';
import { AGENT_RULES, type AgentRule } from './checks.js';
import { agentPlan } from './plan.js';
import { issueText } from '../../core/json.js';

/** Format name that identifies findings of `fuzzAgent`. */
export const FOUND_FORMAT = 'agent-bank-sim agent finding';

export const FOUND_VERSION = 1;

/**
 * The bank accepts repeated payments of one request. Otherwise it would refuse a second payment, and an agent that pays twice would pass.
 */
export const AGENT_VARIANTS = { paymentRequests: 'repeatedly' } as const;

const found = z.object({
  format: z.literal(FOUND_FORMAT),
  version: z.literal(FOUND_VERSION),
  seed: z.int(),
  run: z.int().min(0),
  rule: z.enum(Object.keys(AGENT_RULES) as [AgentRule, ...AgentRule[]]),
  text: z.string(),
  /** The injected faults, one sentence each. */
  mishaps: z.array(z.string()),
  /** The agent's actions, call by call. */
  story: z.array(z.string()),
  /** Whether the plan broke the rule again when replayed; a nondeterministic agent may pass. */
  repeats: z.boolean(),
  mustSucceed: z.boolean(),
  /** The variants of the bank. Older findings do not contain them. */
  variants: z.record(z.string(), z.unknown()).default(AGENT_VARIANTS),
  limits: z.object({ calls: z.int().min(1), waitMs: z.number().positive(), realMs: z.number().positive() }),
  plan: agentPlan,
});

/** A finding about an agent, as plain JSON. */
export type FoundInAgent = z.output<typeof found>;

/** Parses a stored finding. Throws RangeError if it is not one. */
export function readFound(json: unknown): FoundInAgent {
  const parsed = found.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new RangeError(`not a finding of fuzzAgent: ${issueText(parsed.error)}`);
}
