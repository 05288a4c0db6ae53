import { readStep } from '../file/steps.js';
import type { Answer, PropertyCheck } from '../script.js';
import { codeOf, flattenResponse } from '../outcome.js';
import { nameOf } from '../play/check.js';
import { openingSteps, walletOf } from '../play/opening.js';
import { ScenarioRunner } from '../play/scenario-runner.js';
import { wordsOf } from '../play/recorder.js';
import { ScenarioContext } from '../play/scenario-context.js';
import type { Expectations, PropertyFile } from '../file/schema.js';
import type { Balances, StepResult } from '../results.js';
import type { World } from '../target.js';
import type { WrittenStep } from '../file/write.js';
import type { PropertyAgent } from './property-agent.js';
import { type Choice, type Evidence, type Action, actionOf } from './actions.js';

/** Result of one case. */
export interface PropertyCaseResult {
  /** Why it violates the property; null if it does not. */
  readonly reason: string | null;
  readonly steps: readonly StepResult[];
  /** The steps in file notation. */
  readonly written: readonly WrittenStep[];
  /** How often each goal was reached. */
  readonly goals: ReadonlyMap<string, number>;
}

/** Options of all cases. */
export interface PropertyCaseOptions {
  readonly who: readonly PropertyAgent[];
  readonly property: PropertyFile;
  readonly check: PropertyCheck | null;
  readonly invariants: 'always' | 'end' | 'off';
  /** Expectations at the end of each case; null for none. */
  readonly finally: Expectations | null;
  readonly isDetailed: boolean;
}

const MAY_BE_REFUSED = { status: { absent: false } };

/** Plays one sequence of choices in a world. */
export class PropertyCase {
  readonly #world: World;
  readonly #options: PropertyCaseOptions;
  readonly #steps: StepResult[] = [];
  readonly #written: WrittenStep[] = [];
  readonly #goals = new Map<string, number>();
  readonly #evidence: Evidence[] = [];
  #balances: Balances = {};

  constructor(world: World, options: PropertyCaseOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Rejects with internal errors of the runner. */
  async live(choices: readonly Choice[]): Promise<PropertyCaseResult> {
    const { who, invariants, isDetailed } = this.#options;
    const now = new Date(await this.#world.nowMs()).toISOString();
    const context = new ScenarioContext(this.#world, await this.#world.facts(), now);
    const runner = new ScenarioRunner(context, { invariants, isDetailed });
    for (const { name, begins } of who) await context.createAgent(name, walletOf(begins));
    for (const { name, begins } of who) {
      const opened = await runner.all(openingSteps(name, begins), '0.');
      const bad = opened.find(({ verdict }) => verdict === 'failed');
      if (bad !== undefined) return this.#ended(`${name} could not begin: ${reasonOf(bad)}`);
    }
    await runner.begin();
    this.#balances = (await this.#world.holdings(context.addresses())) ?? {};
    const weights = who.map((each) => each.weights);
    const agents = who.map(({ name }) => name);
    for (const choice of choices) {
      const situation = { agents, balances: this.#balances, evidence: this.#evidence };
      const action = actionOf(choice, weights, situation);
      if (action === null) continue;
      const reason = await this.#act(action, runner, new Set(agents));
      if (reason !== null) return this.#ended(reason);
    }
    const end = await runner.end(this.#options.finally, 'end');
    if (end === null || end.verdict === 'passed') return this.#ended(null);
    this.#steps.push(end);
    return this.#ended(reasonOf(end));
  }

  async #act(action: Action, runner: ScenarioRunner, agents: ReadonlySet<string>): Promise<string | null> {
    const place = String(this.#steps.length + 1);
    const save = `s${place}`;
    const raw = { [action.title]: action.args, expect: MAY_BE_REFUSED, save };
    const step = readStep(raw, [], { agents, lineOf: () => null });
    const since = (await this.#world.lastEvent()) ?? 0;
    const { result, outcome, after } = await runner.one(step, place);
    this.#steps.push(result);
    this.#balances = after ?? this.#balances;
    const code = outcome === null ? null : codeOf(outcome);
    const isDone = outcome?.isOk === true;
    const expect = isDone || code === null ? {} : { expect: { code } };
    this.#written.push({
      [action.title]: action.args,
      ...expect,
      ...(action.leaves === undefined ? {} : { save }),
    });
    if (result.verdict === 'failed') {
      // A result that violates an invariant must not become an expectation.
      this.#rewriteLast({ [action.title]: action.args, ...(isDone ? {} : expect) });
      return reasonOf(result);
    }
    if (isDone && action.leaves !== undefined) {
      const { member, ...evidence } = action.leaves;
      this.#evidence.push({ ...evidence, reference: `\${${save}.${member}}` });
    }
    const reached = new Set((await this.#world.eventsAfter(since)).map(nameOf));
    if (code !== null) reached.add(code);
    for (const name of reached) this.#goals.set(name, (this.#goals.get(name) ?? 0) + 1);
    const reason = await this.#judge(action, reached, outcome === null ? {} : flattenResponse(outcome));
    if (reason !== null) {
      const mismatches = [{ path: '', expected: 'to keep the property', actual: reason }];
      this.#steps[this.#steps.length - 1] = { ...result, verdict: 'failed', mismatches };
    }
    return reason;
  }

  async #judge(action: Action, reached: ReadonlySet<string>, answer: Answer): Promise<string | null> {
    const { property, check } = this.#options;
    const { status } = answer as { status?: unknown };
    if (typeof status === 'number' && status >= 500) {
      this.#rewriteLast({ [action.title]: action.args, expect: { status: { below: 500 } } });
      return `${action.title} was answered with ${status}`;
    }
    const forbidden = property.never.find((name) => reached.has(name));
    const refused = typeof answer['code'] === 'string' ? { code: answer['code'] } : {};
    if (forbidden !== undefined) {
      const hasCode = answer['code'] === forbidden;
      this.#rewriteLast({
        [action.title]: action.args,
        expect: hasCode ? { code: { not: forbidden } } : { ...refused, noEvents: [forbidden] },
      });
      return `${forbidden} was reached, which must never be`;
    }
    try {
      await check?.({ title: action.title, args: action.args, answer, balances: this.#balances });
      return null;
    } catch (error) {
      return `after ${action.title}: ${wordsOf(error)}`;
    }
  }

  #rewriteLast(step: WrittenStep): void {
    this.#written[this.#written.length - 1] = step;
  }

  #ended(reason: string | null): PropertyCaseResult {
    const text = JSON.stringify(this.#written);
    // Only results that a later step refers to are saved.
    const written = this.#written.map((step) => {
      const { save, ...rest } = step;
      return typeof save === 'string' && text.includes(`\${${save}.`) ? step : rest;
    });
    return { reason, steps: this.#steps, written, goals: this.#goals };
  }
}

function reasonOf({ mismatches, problem }: StepResult): string {
  const [first] = mismatches;
  return problem ?? (first === undefined ? 'failed' : `${first.path}: ${first.actual}`);
}
