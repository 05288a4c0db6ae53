import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { DEFAULT_SEED } from '../../../runtime/config.js';
import { numberedFrom1 } from '../../fuzz/campaign/corpus.js';
import { type Draw, UNCONFIGURED } from '../../fuzz/draw.js';
import { lengthUpTo, untilPossible } from '../../fuzz/play/drawing.js';
import { type Failure, sequences } from '../../fuzz/play/sequences.js';
import { shrunkBy } from '../../fuzz/play/shrunk.js';
import type { Step } from '../../fuzz/step.js';
import type { PropertyFile } from '../file/schema.js';
import { BrokenStep, type ReadStep, stepReader } from '../file/steps.js';
import { type WrittenStep, agentsIn, scenarioText } from '../file/write.js';
import { type Outcome, codeOf, flattenResponse } from '../outcome.js';
import { nameOf } from '../play/check.js';
import { openAgents } from '../play/opening.js';
import type { PlayOptions } from '../play/play-options.js';
import { wordsOf } from '../play/recorder.js';
import { ScenarioContext } from '../play/scenario-context.js';
import { ScenarioRunner } from '../play/scenario-runner.js';
import type { Balances, ScenarioResult, StepResult } from '../results.js';
import type { Scenario } from '../scenario.js';
import type { PropertyCheck } from '../script.js';
import type { World } from '../target.js';
import { type Evidence, drawAction, evidenceOf } from './draw-action.js';
import { type PropertyAgent, propertyAgents } from './property-agent.js';

interface PropertyCaseOptions {
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

class PropertyCase {
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

/** Maximum worlds played while shrinking a counterexample. */
const SHRINK_ATTEMPTS = 300;

function seedNumber(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32BE(0);
}

function missedText(goals: readonly string[], runs: number, steps: number): string | null {
  if (goals.length === 0) return null;
  return `${goals.join(', ')} ${goals.length === 1 ? 'was' : 'were'} never reached in ${runs} runs of up to ${steps} steps, so the property proves little; add runs or steps, or change the behaviours`;
}

interface PropertyPlay {
  readonly check: PropertyCheck | null;
  readonly options: PlayOptions;
  readonly isOver: () => boolean;
  /** Called before each run, with its number from 1. */
  readonly onRun: (run: number) => void;
}

class PlayedProperty {
  readonly goals: Map<string, number>;
  readonly #scenario: Scenario;
  readonly #property: PropertyFile;
  readonly #play: PropertyPlay;
  readonly #who: readonly PropertyAgent[];
  readonly #worldSeed: string;
  readonly seed: number;
  /** The shortest failing sequence so far. Its world stays open if worlds of failures are kept. */
  #worst: { readonly played: PropertyCase; readonly world: World } | null = null;
  runs = 0;
  steps = 0;

  constructor(scenario: Scenario, property: PropertyFile, play: PropertyPlay) {
    this.#scenario = scenario;
    this.#property = property;
    this.#play = play;
    this.#who = propertyAgents(property);
    this.#worldSeed = String(scenario.world.seed ?? play.options.seed ?? DEFAULT_SEED);
    this.seed = property.seed ?? seedNumber(this.#worldSeed);
    this.goals = new Map(property.sometimes.map((goal) => [goal, 0]));
  }

  get worst(): PropertyCase | null {
    return this.#worst?.played ?? null;
  }

  /** The last run as a scenario file, as it was played. */
  asScenario({ reason, written }: PropertyCase): string {
    const { name, worldAsWritten, finally: end } = this.#scenario;
    const agents = this.#who.map(({ name: agent, begins }) => [agent, begins] as const);
    return scenarioText({
      name: `${name} (counterexample)`,
      description: reason ?? '',
      world: { ...worldAsWritten, seed: `${this.#worldSeed}/${this.runs - 1}` },
      agents: agentsIn(written, agents),
      steps: written,
      ...(end === null ? {} : { finally: end }),
    });
  }

  /** Plays runs until one fails, and shrinks the failing run. Rejects with errors of the world. */
  async play(): Promise<void> {
    const { isOver, onRun } = this.#play;
    const property = fc.asyncProperty(sequences, async (sequence) => {
      const { draw } = sequence;
      if (draw === null || isOver()) return;
      onRun(this.runs + 1);
      const failure = await this.#inWorld(this.runs, async (played) => {
        const drawn = await played.playDrawn(draw);
        sequence.played(drawn.steps, drawn.failure);
        this.runs += 1;
        this.steps += played.results.length;
        for (const goal of played.reached) this.goals.set(goal, (this.goals.get(goal) ?? 0) + 1);
        return drawn.failure;
      });
      if (failure !== null) throw new Error(failure.text);
    });
    const { errorInstance, counterexample } = await fc.check(property, {
      ...UNCONFIGURED,
      seed: this.seed,
      numRuns: this.#property.runs,
      endOnFailure: true,
    });
    const [found] = counterexample ?? [];
    if (found === undefined) return;
    const { steps, failure } = found;
    // The world itself has failed.
    if (failure === null) throw errorInstance;
    // Fewer steps in a world with the options of the last run.
    const attempt = (shorter: readonly Step[]) =>
      this.#inWorld(this.runs - 1, (played) => played.playAll(numberedFrom1(shorter)), failure.kind).catch(
        (error: unknown) => {
          // A step that lacks a required member is not a failure of the property.
          if (error instanceof BrokenStep) return null;
          throw error;
        },
      );
    await shrunkBy(attempt, { steps, failure }, { attempts: SHRINK_ATTEMPTS, isOver });
  }

  /** Plays a sequence in the world of a run. A failing one, of this kind if one is given, becomes the worst. Rejects with errors of the world. */
  async #inWorld(
    run: number,
    play: (played: PropertyCase) => Promise<Failure | null>,
    kind?: string,
  ): Promise<Failure | null> {
    const { check, options } = this.#play;
    const { target, engine, isDetailed } = options;
    const scenario = this.#scenario;
    const world = await target.open({ engine, ...scenario.world, seed: `${this.#worldSeed}/${run}` });
    try {
      const context = await ScenarioContext.in(world);
      const [property, who] = [this.#property, this.#who];
      const played = new PropertyCase(context, { scenario, property, who, check, isDetailed });
      await played.begin();
      const failure = await play(played);
      if (failure !== null && failure.kind === (kind ?? failure.kind)) {
        await this.close();
        this.#worst = { played, world };
      }
      return failure;
    } finally {
      if (options.keep === undefined || world !== this.#worst?.world) await world.close();
    }
  }

  /** Hands the world of the worst case over; returns the address where it can be inspected, or null if it is not kept. */
  async keep(): Promise<string | null> {
    if (this.#worst === null) return null;
    const address = (await this.#play.options.keep?.(this.#worst.world)) ?? null;
    if (address === null) await this.close();
    return address;
  }

  /** Closes the world of the worst case, if it is open. */
  async close(): Promise<void> {
    if (this.#play.options.keep !== undefined) await this.#worst?.world.close();
  }
}

/** Plays a property in many worlds, and shrinks a counterexample. Rejects with CannotPlay, UnusableWorld, and errors of the world. */
export async function playProperty(
  scenario: Scenario,
  property: PropertyFile,
  play: PropertyPlay,
): Promise<Pick<ScenarioResult, 'verdict' | 'reason' | 'steps' | 'property' | 'inspector'>> {
  const played = new PlayedProperty(scenario, property, play);
  await played.play().catch(async (error: unknown) => {
    await played.close();
    throw error;
  });
  // After the time limit, nothing waits for this world.
  if (play.isOver()) await played.close();
  const { runs, steps, worst, goals, seed } = played;
  const unreached = property.sometimes.filter((goal) => goals.get(goal) === 0);
  const reason = worst?.reason ?? missedText(unreached, runs, property.steps);
  return {
    verdict: reason === null ? 'passed' : 'failed',
    reason,
    steps: worst?.results ?? [],
    inspector: play.isOver() ? null : await played.keep(),
    property: {
      runs,
      steps,
      seed,
      goals: Object.fromEntries([...goals].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      counterexample: worst === null ? null : played.asScenario(worst),
    },
  };
}
