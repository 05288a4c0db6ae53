import type { z } from 'zod';
import { defined } from '../../core/json.js';
import type { AgentClient } from '../../sdk/client/client.js';
import type { AgentFile, Expectations, ScenarioFile, propertySchema } from './file/schema.js';
import type { Balances } from './results.js';
import type { AGENT_VERBS, WORLD_VERBS } from './verbs/verbs.js';

/** Options of a script's step. */
export interface StepOptions {
  /** Expected result; without a status, a code or `lost` the call must succeed. */
  readonly expect?: Expectations;
  readonly note?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to a step: the members of its body, plus `status`, `headers` and `body`. */
export type Answer = Readonly<Record<string, unknown>>;

type ArgsOf<V> = V extends { args: infer S extends z.ZodType } ? z.input<S> : unknown;
type Act<V> =
  undefined extends ArgsOf<V>
    ? (args?: ArgsOf<V>, options?: StepOptions) => Promise<Answer>
    : (args: ArgsOf<V>, options?: StepOptions) => Promise<Answer>;
type Head<K> = K extends `${infer H}.${string}` ? H : K;

/** Verbs as methods. A dot in a name becomes a nested object: `collateral.borrow(…)`. */
export type Methods<T> = {
  readonly [H in Head<keyof T & string>]: (H extends keyof T ? Act<T[H]> : unknown) & {
    readonly [K in keyof T & string as K extends `${H}.${infer R}` ? R : never]: Act<T[K]>;
  };
};

/** An agent in a script: every verb of the scenario files as a method. */
export type ScriptAgent = Methods<typeof AGENT_VERBS> & {
  readonly address: string;
  /** A typed client for calls that are not steps. */
  readonly client: () => AgentClient;
};

export type ScriptWorld = Methods<typeof WORLD_VERBS> & {
  /** World time when the last step ended. */
  readonly now: () => Date;
  readonly treasury: string;
  readonly usdcMint: string;
  /** Checks expectations on the chain, the journal or the events since the scenario began. */
  readonly holds: (expectations: Expectations) => Promise<void>;
};

/** Input of a TypeScript property's check after each step. */
export interface AfterStep {
  /** Such as `ann.withdraw`. */
  readonly title: string;
  readonly args: unknown;
  readonly answer: Answer;
  readonly balances: Balances;
}

/** Throws if the property is violated. */
export type PropertyCheck = (after: AfterStep) => void | Promise<void>;

export interface ScriptTools {
  /** The agent of this name; created with the given holdings if it does not exist. */
  readonly agent: (name: string, has?: AgentFile) => Promise<ScriptAgent>;
  readonly sim: ScriptWorld;
  /** Checks a value against an expectation, as in scenario files. Ends the scenario if the check fails. */
  readonly expect: (actual: unknown, expected: unknown) => void;
}

export type Script = (tools: ScriptTools) => Promise<void>;

/** Metadata of a TypeScript scenario: the members of a file, except its steps. */
export type ScriptOptions = Omit<ScenarioFile, 'name' | 'steps' | 'property' | 'agents'> & {
  readonly agents?: Readonly<Record<string, AgentFile>>;
};

export class ScriptedScenario {
  /** Stack of the creating call, for its line in the file. */
  readonly madeAt: string | undefined = new Error('made here').stack;

  constructor(
    readonly name: string,
    readonly options: ScriptOptions,
    readonly plays:
      | { readonly kind: 'script'; readonly run: Script }
      | { readonly kind: 'property'; readonly property: unknown; readonly check: PropertyCheck | null },
  ) {}
}

export type PropertyOptions = Omit<ScriptOptions, 'agents' | 'finally'> & z.input<typeof propertySchema>;

/** A TypeScript property: a condition that must hold after each step, in addition to the invariants of the books, for every sequence of actions. */
export function property(name: string, options: PropertyOptions, check?: PropertyCheck): ScriptedScenario {
  const { description, tags, world, invariants, ...rest } = options;
  const said = defined({ description, tags, world, invariants });
  return new ScriptedScenario(name, said, { kind: 'property', property: rest, check: check ?? null });
}

/** A TypeScript scenario: `export default scenario('…', { tags: […] }, async ({ agent, sim, expect }) => { … })`. */
export function scenario(name: string, options: ScriptOptions, run: Script): ScriptedScenario;
/** A TypeScript scenario without options. */
export function scenario(name: string, run: Script): ScriptedScenario;
export function scenario(name: string, second: ScriptOptions | Script, third?: Script): ScriptedScenario {
  return typeof second === 'function'
    ? new ScriptedScenario(name, {}, { kind: 'script', run: second })
    : new ScriptedScenario(name, second, { kind: 'script', run: third as Script });
}
