import { agentOf } from '../file/read.js';
import { misplaced } from '../file/write.js';
import { type AgentFile, type Expectations, expectationsSchema } from '../file/schema.js';
import { lineInFile } from '../file/typescript.js';
import { mismatches } from '../expecting/match.js';
import { badMatcher } from '../expecting/matchers.js';
import { flattenResponse } from '../outcome.js';
import { NOTHING_DONE, type StepResult } from '../results.js';
import { type Step, lookingStep, plainStep } from '../scenario.js';
import type { Answer, Script, ScriptAgent, ScriptTools, ScriptWorld, StepOptions } from '../script.js';
import { AGENT_VERBS, RESERVED, WORLD_VERBS } from '../verbs/verbs.js';
import { addAgent, openingSteps } from './opening.js';
import { read } from './perform.js';
import type { ScenarioRunner } from './scenario-runner.js';
import { Recorder } from './recorder.js';
import type { ScenarioContext } from './scenario-context.js';

/** Ends a script after a failed step; the reason is in the step. */
class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

type Method = (args?: unknown, options?: StepOptions) => Promise<Answer>;

function methods(names: readonly string[], play: (verb: string) => Method): object {
  const root: Record<string, Method & Record<string, Method>> = {};
  for (const name of names) {
    const [head = '', ...tail] = name.split('.');
    // A name that is only a prefix of verbs cannot be called.
    const isVerb = names.includes(head);
    const group = (root[head] ??= (isVerb ? play(head) : {}) as Method & Record<string, Method>);
    if (tail.length > 0) group[tail.join('.')] = play(name);
  }
  return root;
}

const OPTIONS = ['expect', 'note', 'key', 'headers'];

/** Throws for a misplaced expectation, which would be ignored. */
function checkOptions({ title, does }: Step, options: StepOptions): void {
  const strange = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (strange !== undefined)
    throw new Error(`${title}: a step has ${OPTIONS.join(', ')} beside its arguments, not ${strange}`);
  if (misplaced('args' in does ? does.args : undefined) !== undefined)
    throw new Error(
      `${title}: the expectation belongs in the second argument: ${title}({ … }, { expect: … })`,
    );
  const { expect } = options as { expect?: unknown };
  if (expect !== undefined && (typeof expect !== 'object' || expect === null))
    throw new Error(`${title}: the expectation must be an object of members`);
  read(expectationsSchema, expect ?? {});
}

export class ScriptRunner {
  readonly #context: ScenarioContext;
  readonly #runner: ScenarioRunner;
  readonly steps: StepResult[];
  readonly #path: string;
  readonly #onStepEnd: (place: string) => void;
  readonly #underWay: Promise<unknown>[] = [];
  #isOver = false;

  /** Results of its steps are appended to `steps`; `path` is the absolute path of the script's file; `onStepEnd` is called with the place of each step that has ended. */
  constructor(
    context: ScenarioContext,
    runner: ScenarioRunner,
    { steps, path, onStepEnd }: { steps: StepResult[]; path: string; onStepEnd: (place: string) => void },
  ) {
    this.steps = steps;
    this.#path = path;
    this.#onStepEnd = onStepEnd;
    this.#context = context;
    this.#runner = runner;
  }

  /** Runs it to its end, or to the first step that fails. Rejects with CannotPlay and with exceptions of the script. */
  async run(script: Script): Promise<void> {
    try {
      await script(this.#tools());
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
    } finally {
      // Steps that were not awaited also belong to the scenario, as do the steps that follow from them.
      for (let settled = -1; settled < this.#underWay.length;) {
        settled = this.#underWay.length;
        await Promise.allSettled(this.#underWay);
      }
      this.#isOver = true;
    }
  }

  #tools(): ScriptTools {
    return {
      agent: (name, has) => this.#agent(name, has),
      sim: this.#world(),
      expect: (actual, expected) => this.#expect(actual, expected),
    };
  }

  async #agent(name: string, has: AgentFile | undefined): Promise<ScriptAgent> {
    let actor = this.#context.actors.get(name);
    if (actor === undefined) {
      if (RESERVED.has(name)) throw new Error(`${name} has another meaning; use another name for the agent`);
      const agent = agentOf(has ?? null);
      actor = await addAgent(this.#context, name, agent);
      for (const step of openingSteps(name, agent)) await this.#play(step);
    } else if (has !== undefined) {
      throw new Error(`the scenario has an agent ${name} already; state its holdings when you first use it`);
    }
    const { wallet } = actor;
    const verbs = methods(
      Object.keys(AGENT_VERBS),
      (verb) => (args, options) =>
        this.#play(plainStep(`${name}.${verb}`, { kind: 'agent', agent: name, verb, args }), options),
    );
    const client = actor.client.bind(actor, new Recorder());
    return Object.assign(verbs, { address: wallet.address, client }) as unknown as ScriptAgent;
  }

  #world(): ScriptWorld {
    const verbs = methods(
      Object.keys(WORLD_VERBS),
      (verb) => (args, options) => this.#play(plainStep(verb, { kind: 'world', verb, args }), options),
    );
    const { treasury, usdcMint } = this.#context.facts;
    return Object.assign(verbs, {
      treasury,
      usdcMint,
      now: () => new Date(this.#context.now),
      holds: async (expectations: Expectations) => {
        read(expectationsSchema, expectations);
        await this.#play(lookingStep('holds', expectations));
      },
    }) as unknown as ScriptWorld;
  }

  #play(step: Step, options: StepOptions = {}): Promise<Answer> {
    if (this.#isOver)
      return Promise.reject(new Error(`${step.title} ran after its scenario had ended; await every step`));
    checkOptions(step, options);
    // Before the first await: later the script is no longer on the stack.
    const played = this.#played({ ...step, line: this.#line() }, options);
    // The script's own await sees a rejection; it must not also be unhandled here.
    this.#underWay.push(played.catch(() => undefined));
    return played;
  }

  /** The script's current line, from 1; null if unknown. */
  #line(): number | null {
    return lineInFile(new Error('called here').stack, this.#path);
  }

  async #played(step: Step, options: StepOptions): Promise<Answer> {
    const place = String(this.steps.length + 1);
    // Reserves the index at once: steps of a script may overlap.
    const index = this.steps.push(undefined as never) - 1;
    const { result, outcome } = await this.#runner.one({ ...step, ...options }, place);
    this.steps[index] = result;
    this.#onStepEnd(place);
    if (result.verdict === 'failed') throw new StepFailed(`step ${place} failed`);
    return outcome === null ? {} : flattenResponse(outcome);
  }

  #expect(actual: unknown, expected: unknown): void {
    if (actual instanceof Promise) throw new Error('expect received a promise; await it first');
    const bad = badMatcher(expected);
    if (bad !== null) throw new Error(bad.message);
    const found = mismatches(actual, expected);
    const place = String(this.steps.length + 1);
    this.steps.push({
      place,
      title: 'expect',
      args: expected,
      note: null,
      line: this.#line(),
      verdict: found.length === 0 ? 'passed' : 'failed',
      ...NOTHING_DONE,
      mismatches: found,
      at: this.#context.now,
    });
    if (found.length > 0) throw new StepFailed(`step ${place} failed`);
  }
}
