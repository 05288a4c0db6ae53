import type { z } from 'zod';
import { BrokenStep, readValue } from '../file/steps.js';
import type { Outcome } from '../outcome.js';
import { resolved } from '../references.js';
import { type Scenario, type Step, lookingStep } from '../scenario.js';
import { CannotPlay, type Target } from '../target.js';
import type { AgentVerb, Capability, VerbContext, WorldVerb } from '../verbs/verb.js';
import { AGENT_VERBS, WORLD_VERBS } from '../verbs/verbs.js';
import { looksAtEvents } from './check.js';
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
function missing(
  { requires = [] }: { readonly requires?: readonly Capability[] },
  target: { readonly hasControl: boolean; readonly hasChain: boolean },
): string | null {
  const has: Record<Capability, boolean> = { control: target.hasControl, chain: target.hasChain };
  const need = requires.find((each) => !has[each]);
  return need === undefined ? null : WHY[need];
}

function verbOf(does: Deed): AgentVerb | WorldVerb {
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

function missingNeed({ does, expect }: Step, target: Target): string | null {
  const looks = does.kind === 'expect' ? does.expectations : expect;
  if (!target.hasControl && (looks?.journal !== undefined || looksAtEvents(looks)))
    return 'the journal and the events of a deployed service cannot be read';
  if (!target.hasChain && looks?.chain !== undefined) return 'balances on chain need --rpc-url';
  if ('steps' in does) return firstMissing(does.steps, target);
  if (does.kind === 'wait') return missingNeed(does.step, target);
  return 'verb' in does ? missing(verbOf(does), target) : null;
}

function firstMissing(steps: readonly Step[], target: Target): string | null {
  for (const step of steps) {
    const lack = missingNeed(step, target);
    if (lack !== null) return `${step.title}${step.line === null ? '' : ` (line ${step.line})`}: ${lack}`;
  }
  return null;
}

/** World options that every target accepts, because they do not affect a deployed service. */
const HARMLESS = new Set(['seed', 'engine']);

function isGiven(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

/** The reason, known in advance, why a target cannot play a scenario; null if it can. */
export function missingCapability(
  { world, agents, play, ...scenario }: Scenario,
  target: Target,
): string | null {
  if (!target.hasControl) {
    const option = Object.entries(world).find(([name, value]) => !HARMLESS.has(name) && isGiven(value))?.[0];
    if (option !== undefined) return `world.${option}: the world of a deployed service cannot be chosen`;
    const linked = Object.entries(agents).find(([, agent]) => agent.identity !== undefined)?.[0];
    if (linked !== undefined)
      return `agents.${linked}.identity: only the service's operator can link an identity`;
    if (play.kind === 'property') return 'properties need targets that can create worlds';
  }
  const atEnd = scenario.finally;
  const looks = atEnd === null ? [] : [lookingStep('finally', atEnd)];
  return firstMissing([...(play.kind === 'steps' ? play.steps : []), ...looks], target);
}
