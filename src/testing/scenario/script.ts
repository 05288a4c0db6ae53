import type { z } from 'zod';
import type { AgentClient } from '../../sdk/client/client.js';
import type { AgentFile, Expectations, ScenarioFile, propertySchema } from './file/schema.js';
import type { Balances } from './results.js';
import type { AGENT_VERBS, WORLD_VERBS } from './verbs/verbs.js';

/** What a step of a script may say besides its arguments. */
export interface StepOptions {
  /** What is to come of it; without a status, a code or `lost` the call must be done. */
  readonly expect?: Expectations;
  readonly note?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to a step: the members of its body, with `status`, `headers` and `body` beside them. */
export type Answer = Readonly<Record<string, unknown>>;

type ArgsOf<V> = V extends { args: infer S extends z.ZodType } ? z.input<S> : unknown;
type Act<V> =
  undefined extends ArgsOf<V>
    ? (args?: ArgsOf<V>, options?: StepOptions) => Promise<Answer>
    : (args: ArgsOf<V>, options?: StepOptions) => Promise<Answer>;
type Head<K> = K extends `${infer H}.${string}` ? H : K;

/** Verbs as methods, nested at the dots of their names: `collateral.borrow` is `collateral.borrow(…)`. */
export type Methods<T> = {
  readonly [H in Head<keyof T & string>]: (H extends keyof T ? Act<T[H]> : unknown) & {
    readonly [K in keyof T & string as K extends `${H}.${infer R}` ? R : never]: Act<T[K]>;
  };
};

/** An agent as a script plays it: every verb of the scenario files as a method. */
export type ScriptAgent = Methods<typeof AGENT_VERBS> & {
  readonly address: string;
  /** A typed client of its own, whose calls are no steps. */
  readonly client: () => AgentClient;
};

/** The world as a script plays it. */
export type ScriptWorld = Methods<typeof WORLD_VERBS> & {
  /** The world's time when the last step ended. */
  readonly now: () => Date;
  readonly treasury: string;
  readonly usdcMint: string;
  /** Expects something of the chain, the journal or the events since the scenario began. */
  readonly holds: (expectations: Expectations) => Promise<void>;
};

/** What a property in TypeScript looks at after each step. */
export interface AfterStep {
  /** Such as `ann.withdraw`. */
  readonly title: string;
  readonly args: unknown;
  readonly answer: Answer;
  readonly balances: Balances;
}

/** Throws when what must hold does not. */
export type PropertyCheck = (after: AfterStep) => void | Promise<void>;

/** What a script plays with. */
export interface ScriptTools {
  /** The agent of this name; one that the scenario does not have yet is made with what it is to have. */
  readonly agent: (name: string, has?: AgentFile) => Promise<ScriptAgent>;
  readonly sim: ScriptWorld;
  /** Expects a value to be like another, as scenario files say it. Ends the scenario when it is not. */
  readonly expect: (actual: unknown, expected: unknown) => void;
}

/** The body of a scenario in TypeScript. */
export type Script = (tools: ScriptTools) => Promise<void>;

/** What a scenario in TypeScript says of itself: what a file has, but for its steps. */
export type ScriptOptions = Omit<ScenarioFile, 'name' | 'steps' | 'property' | 'agents'> & {
  readonly agents?: Readonly<Record<string, AgentFile>>;
};

/** A scenario in TypeScript, as its file exports it. */
export class ScriptedScenario {
  /** The stack of the call that made it, which says where it stands in its file. */
  readonly madeAt: string | undefined = new Error('made here').stack;

  constructor(
    readonly name: string,
    readonly options: ScriptOptions,
    readonly plays:
      | { readonly kind: 'script'; readonly run: Script }
      | { readonly kind: 'property'; readonly property: unknown; readonly check: PropertyCheck | null },
  ) {}
}

/** What a property in TypeScript says of its worlds: what a file has. */
export type PropertyOptions = Omit<ScriptOptions, 'agents' | 'finally'> & z.input<typeof propertySchema>;

/** A property in TypeScript: what must hold after each step, besides the rules of the books, whatever agents do. */
export function property(name: string, options: PropertyOptions, check?: PropertyCheck): ScriptedScenario {
  const { description, tags, covers, world, invariants, ...rest } = options;
  const about = { description, tags, covers, world, invariants };
  const said = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  return new ScriptedScenario(name, said, { kind: 'property', property: rest, check: check ?? null });
}

/** A scenario in TypeScript: `export default scenario('…', { covers: […] }, async ({ agent, sim, expect }) => { … })`. */
export function scenario(name: string, options: ScriptOptions, run: Script): ScriptedScenario;
/** The same that says nothing of itself but its name. */
export function scenario(name: string, run: Script): ScriptedScenario;
/** Both. */
export function scenario(name: string, second: ScriptOptions | Script, third?: Script): ScriptedScenario {
  return typeof second === 'function'
    ? new ScriptedScenario(name, {}, { kind: 'script', run: second })
    : new ScriptedScenario(name, second, { kind: 'script', run: third as Script });
}
