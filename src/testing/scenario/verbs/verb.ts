import type { z } from 'zod';
import type { Outcome } from '../outcome.js';
import type { Actor } from '../play/actor.js';
import type { Recorder } from '../play/recorder.js';
import type { ScenarioContext } from '../play/scenario-context.js';

export interface VerbContext {
  readonly context: ScenarioContext;
  readonly recorder: Recorder;
  /** Headers that the step adds to its calls. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Capabilities of a target that a verb can need. */
export type Capability = 'control' | 'chain';

interface Described<A> {
  readonly summary: string;
  readonly args: z.ZodType<A>;
  /** Default: none. */
  readonly requires?: readonly Capability[];
}

export interface WorldVerb<A = unknown> extends Described<A> {
  readonly run: (args: A, doing: VerbContext) => Promise<Outcome>;
}

export interface AgentVerb<A = unknown> extends Described<A> {
  readonly run: (actor: Actor, args: A, doing: VerbContext) => Promise<Outcome>;
}

/** Infers the types of a verb's arguments. */
export function worldVerb<A>(verb: WorldVerb<A>): WorldVerb<A> {
  return verb;
}

/** Infers the types of a verb's arguments. */
export function agentVerb<A>(verb: AgentVerb<A>): AgentVerb<A> {
  return verb;
}
