import { lengthUpTo, untilPossible } from '../../fuzz/play/drawing.js';
import type { Failure } from '../../fuzz/play/sequences.js';
import type { Draw } from '../../fuzz/draw.js';
import type { Step } from '../../fuzz/step.js';
import { type ReadStep, stepReader } from '../file/steps.js';
import type { PropertyFile } from '../file/schema.js';
import { type Outcome, codeOf, flattenResponse } from '../outcome.js';
import { nameOf } from '../play/check.js';
import { openAgents } from '../play/opening.js';
import { wordsOf } from '../play/recorder.js';
import type { ScenarioContext } from '../play/scenario-context.js';
import { ScenarioRunner } from '../play/scenario-runner.js';
import type { Balances, StepResult } from '../results.js';
import type { Scenario } from '../scenario.js';
import type { PropertyCheck } from '../script.js';
import { type Evidence, drawAction, evidenceOf } from './draw-action.js';
import type { PropertyAgent } from './property-agent.js';
import type { WrittenStep } from '../file/write.js';

export interface PropertyCaseOptions {
  readonly scenario: Scenario;
  readonly property: PropertyFile;
  readonly who: readonly PropertyAgent[];
  readonly check: PropertyCheck | null;
  readonly isDetailed: boolean;
}

/** How a step breaks a rule, and an expectation that fails until the rule holds. */
interface Violation {
  readonly reason: string;
  /** Absent if no expectation can express it. */
  readonly expect?: object;
}

const MAY_BE_REFUSED = { status: { absent: false } };

export class PropertyCase {
  readonly results: StepResult[] = [];
  /** Error codes, events and entries that the steps led to. */
  readonly reached: string[] = [];
  /** The reason why it breaks the property; otherwise null. */
  reason: string | null = null;
  readonly #context: ScenarioContext;
  readonly #runner: ScenarioRunner;
  readonly #options: PropertyCaseOptions;
  readonly #read: ReadStep;
  readonly #written: WrittenStep[] = [];
  readonly #evidence: Evidence[] = [];
  #balances: Balances = {};

  constructor(context: ScenarioContext, options: PropertyCaseOptions) {
    const { scenario, isDetailed } = options;
    this.#context = context;
    this.#runner = new ScenarioRunner(context, { invariants: scenario.invariants, isDetailed });
    this.#options = options;
    this.#read = stepReader(new Set(options.who.map(({ name }) => name)), () => null);
  }

  /** Sets up the agents. Rejects with CannotPlay, and with Error if an agent's initial holdings cannot be set up. */
  async begin(): Promise<void> {
    const agents = this.#options.who.map(({ name, begins }) => [name, begins] as const);
    const opening = await openAgents(agents, this.#context, this.#runner);
    const bad = opening.find(({ verdict }) => verdict === 'failed');
    if (bad !== undefined) throw new Error(`${bad.title} before the first step: ${reasonOf(bad)}`);
    await this.#runner.begin();
    this.#balances = (await this.#context.world.holdings(this.#context.addresses())) ?? {};
  }

  get written(): readonly WrittenStep[] {
    const text = JSON.stringify(this.#written);
    // Only results that a later step refers to are saved.
    return this.#written.map(({ save, ...rest }) =>
      text.includes(`\${${String(save)}.`) ? { ...rest, save } : rest,
    );
  }

  /** Draws steps and plays them until one fails or no action is possible. */
  async playDrawn(
    draw: Draw,
  ): Promise<{ readonly steps: readonly Step[]; readonly failure: Failure | null }> {
    const steps: Step[] = [];
    const count = draw(lengthUpTo(this.#options.property.steps));
    while (steps.length < count) {
      const drawn = untilPossible(() =>
        drawAction(draw, this.#options.who, { balances: this.#balances, evidence: this.#evidence }),
      );
      if (drawn === null) break;
      const step = { id: steps.length + 1, ...drawn };
      const failure = await this.#play(step, steps.push(step) - 1);
      if (failure !== null) return { steps, failure };
    }
    return { steps, failure: await this.#end(steps) };
  }

  /** Plays steps; returns the first failure, or null. */
  async playAll(steps: readonly Step[]): Promise<Failure | null> {
    for (const [at, step] of steps.entries()) {
      const failure = await this.#play(step, at);
      if (failure !== null) return failure;
    }
    return this.#end(steps);
  }

  /** Rejects with BrokenStep for a step that a file cannot contain, with CannotPlay, and with errors of the world. */
  async #play(step: Step, at: number): Promise<Failure | null> {
    const { id, do: title, with: args } = step;
    const { world } = this.#context;
    const save = `s${id}`;
    const raw = { [title]: args, expect: MAY_BE_REFUSED, save };
    const since = (await world.lastEvent()) ?? 0;
    const { result, outcome, after } = await this.#runner.one(this.#read(raw, []), String(at + 1));
    this.#balances = after ?? this.#balances;
    if (outcome?.isOk === true) this.#evidence.push(...evidenceOf(step, save));
    const code = outcome === null || outcome.isOk ? null : codeOf(outcome);
    const refused = code === null ? {} : { code };
    const reached = new Set((await world.eventsAfter(since)).map(nameOf));
    if (code !== null) reached.add(code);
    this.reached.push(...reached);
    const violation =
      (result.verdict === 'failed' ? { reason: reasonOf(result) } : null) ??
      serverError(title, outcome) ??
      this.#forbidden(reached, refused) ??
      (await this.#checked(title, args, outcome));
    const expect = violation?.expect ?? refused;
    this.#written.push({ [title]: args, ...(Object.keys(expect).length === 0 ? {} : { expect }), save });
    if (violation === null) {
      this.results.push(result);
      return null;
    }
    const { reason } = violation;
    const unlike =
      result.verdict === 'failed' ? result : { ...result, verdict: 'failed' as const, problem: reason };
    return this.#failed(at, unlike, reason);
  }

  async #end(steps: readonly Step[]): Promise<Failure | null> {
    const end = await this.#runner.end(this.#options.scenario, 'end');
    if (end === null || end.verdict === 'passed') return null;
    return this.#failed(steps.length, end, reasonOf(end));
  }

  /** The kind of a failure: the start of its reason without numbers. */
  #failed(at: number, result: StepResult, reason: string): Failure {
    this.results.push(result);
    this.reason = reason;
    return { at, kind: reason.replace(/: .*/s, '').replaceAll(/\d+/g, '#'), text: reason };
  }

  #forbidden(reached: ReadonlySet<string>, refused: { readonly code?: string }): Violation | null {
    const goal = this.#options.property.never.find((name) => reached.has(name));
    if (goal === undefined) return null;
    const expect = refused.code === goal ? { code: { not: goal } } : { ...refused, noEvents: [goal] };
    return { reason: `${goal} was reached, which \`never\` rules out`, expect };
  }

  async #checked(title: string, args: unknown, outcome: Outcome | null): Promise<Violation | null> {
    const answer = outcome === null ? {} : flattenResponse(outcome);
    try {
      await this.#options.check?.({ title, args, answer, balances: this.#balances });
      return null;
    } catch (error) {
      return { reason: `after ${title}: ${wordsOf(error)}` };
    }
  }
}

function serverError(title: string, outcome: Outcome | null): Violation | null {
  const status = outcome?.status ?? 0;
  if (status < 500) return null;
  return { reason: `${title} returned status ${status}`, expect: { status: { below: 500 } } };
}

function reasonOf({ mismatches, problem }: StepResult): string {
  const [first] = mismatches;
  return problem ?? (first === undefined ? 'failed' : `${first.path}: ${first.actual}`);
}
