import type { z } from 'zod';
import { BrokenStep, readValue } from '../file/steps.js';
import type { Outcome } from '../outcome.js';
import { resolved } from '../references.js';
import type { Step } from '../scenario.js';
import { CannotPlay } from '../target.js';
import type { AgentVerb, VerbContext, Capability, WorldVerb } from '../verbs/verb.js';
import { AGENT_VERBS, WORLD_VERBS } from '../verbs/verbs.js';
import type { Recorder } from './recorder.js';
import type { ScenarioContext } from './scenario-context.js';

/** Step-local references in addition to the context's references: the number of the round. */
export type Local = Readonly<Record<string, unknown>>;

type Deed = Extract<Step['does'], { kind: 'agent' | 'world' }>;

const WHY: Readonly<Record<Capability, string>> = {
  control: 'the world of a deployed service cannot be controlled',
  chain: 'sending on chain needs --rpc-url',
};

/** Describes the capabilities that a verb needs and the target lacks; null if none. */
export function missing(
  { requires = [] }: { readonly requires?: readonly Capability[] },
  target: { readonly hasControl: boolean; readonly hasChain: boolean },
): string | null {
  const has: Record<Capability, boolean> = { control: target.hasControl, chain: target.hasChain };
  const need = requires.find((each) => !has[each]);
  return need === undefined ? null : WHY[need];
}

export function verbOf(does: Deed): AgentVerb | WorldVerb {
  const table = (does.kind === 'agent' ? AGENT_VERBS : WORLD_VERBS) as unknown as Readonly<
    Record<string, AgentVerb | WorldVerb>
  >;
  const verb = table[does.verb];
  if (verb === undefined) throw new Error(`there is no ${does.verb}`);
  return verb;
}

/** Parses a value by its schema. Throws Error with the path of the problem. */
export function read(schema: z.ZodType, value: unknown): unknown {
  try {
    return readValue(schema, value);
  } catch (error) {
    throw error instanceof BrokenStep ? new Error(error.located) : error;
  }
}

/** Executes a call with resolved arguments. Rejects with Error for invalid arguments, and CannotPlay. */
export async function perform(
  does: Deed,
  value: unknown,
  {
    step,
    context,
    recorder,
    local,
  }: { step: Step; context: ScenarioContext; recorder: Recorder; local: Local },
): Promise<Outcome> {
  const { key, headers } = step;
  const { world } = context;
  const verb = verbOf(does);
  const lack = missing(verb, { hasControl: world.control !== null, hasChain: world.chain !== null });
  if (lack !== null) throw new CannotPlay(lack);
  const args = read(verb.args, value);
  const more = { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const doing: VerbContext = {
    context,
    recorder,
    headers: resolved(more, context.scope(local)) as Record<string, string>,
  };
  if (does.kind === 'world') return (verb as WorldVerb).run(args, doing);
  return (verb as AgentVerb).run(context.actor(does.agent), args, doing);
}
