import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DEFAULT_SEED } from '../../../runtime/config.js';
import { type Draw, UNCONFIGURED } from '../../fuzz/draw.js';
import { numberedFrom1 } from '../../fuzz/campaign/corpus.js';
import type { Step } from '../../fuzz/step.js';
import { type Failure, type Sequence, sequences } from '../../fuzz/play/sequences.js';
import { shrunkBy } from '../../fuzz/play/shrunk.js';
import type { PropertyFile } from '../file/schema.js';
import { BrokenStep } from '../file/steps.js';
import { agentsIn, scenarioText } from '../file/write.js';
import type { PlayOptions } from '../play/play-options.js';
import { ScenarioContext } from '../play/scenario-context.js';
import type { ScenarioResult } from '../results.js';
import type { Scenario } from '../scenario.js';
import type { PropertyCheck } from '../script.js';
import { type PropertyAgent, propertyAgents } from './property-agent.js';
import type { World } from '../target.js';
import { PropertyCase } from './property-case.js';

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
    const { name, covers, worldAsWritten, finally: end } = this.#scenario;
    const agents = this.#who.map(({ name: agent, begins }) => [agent, begins] as const);
    return scenarioText({
      name: `${name} (counterexample)`,
      description: reason ?? '',
      covers,
      world: { ...worldAsWritten, seed: `${this.#worldSeed}/${this.runs - 1}` },
      agents: agentsIn(written, agents),
      steps: written,
      ...(end === null ? {} : { finally: end }),
    });
  }

  /** Plays runs until one fails, and shrinks the failing run. Rejects with errors of the world. */
  async play(): Promise<void> {
    const { isOver } = this.#play;
    const property = fc.asyncProperty(sequences, async (sequence) => {
      if (sequence.draw === null || isOver()) return;
      await this.#run(sequence, sequence.draw);
      if (sequence.failure !== null) throw new Error(sequence.failure.text);
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
    const attempt = (shorter: readonly Step[]) => this.#again(shorter, failure);
    await shrunkBy(attempt, { steps, failure }, { attempts: SHRINK_ATTEMPTS, isOver });
  }

  async #run(sequence: Sequence, draw: Draw): Promise<void> {
    this.#play.onRun(this.runs + 1);
    await this.#inWorld(this.runs, async (played, world) => {
      const { steps, failure } = await played.playDrawn(draw);
      sequence.played(steps, failure);
      this.runs += 1;
      this.steps += played.results.length;
      for (const goal of played.reached) this.goals.set(goal, (this.goals.get(goal) ?? 0) + 1);
      if (failure !== null) await this.#take(played, world);
    });
  }

  /** Plays fewer steps in a world with the options of the last run. */
  async #again(steps: readonly Step[], { kind }: Failure): Promise<Failure | null> {
    try {
      return await this.#inWorld(this.runs - 1, async (played, world) => {
        const failure = await played.playAll(numberedFrom1(steps));
        if (failure?.kind === kind) await this.#take(played, world);
        return failure;
      });
    } catch (error) {
      // A step that lacks a required member is not a failure of the property.
      if (error instanceof BrokenStep) return null;
      throw error;
    }
  }

  async #inWorld<T>(run: number, work: (played: PropertyCase, world: World) => Promise<T>): Promise<T> {
    const { check, options } = this.#play;
    const { target, engine, isDetailed } = options;
    const scenario = this.#scenario;
    const world = await target.open({ engine, ...scenario.world, seed: `${this.#worldSeed}/${run}` });
    try {
      const context = await ScenarioContext.in(world);
      const [property, who] = [this.#property, this.#who];
      const played = new PropertyCase(context, { scenario, property, who, check, isDetailed });
      await played.begin();
      return await work(played, world);
    } finally {
      if (options.keep === undefined || world !== this.#worst?.world) await world.close();
    }
  }

  async #take(played: PropertyCase, world: World): Promise<void> {
    await this.close();
    this.#worst = { played, world };
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
