import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DEFAULT_SEED } from '../../../runtime/config.js';
import { numberedFrom1 } from '../../fuzz/campaign/corpus.js';
import type { Step } from '../../fuzz/step.js';
import type { Failure } from '../../fuzz/play/sequence.js';
import { sequences } from '../../fuzz/play/sequences.js';
import { shrunk } from '../../fuzz/play/shrunk.js';
import type { PropertyFile } from '../file/schema.js';
import { BrokenStep } from '../file/steps.js';
import type { PlayOptions } from '../play/play-options.js';
import { ScenarioContext } from '../play/scenario-context.js';
import type { ScenarioResult } from '../results.js';
import type { Scenario } from '../scenario.js';
import type { PropertyCheck } from '../script.js';
import { asScenario } from './as-scenario.js';
import { propertyAgents } from './property-agent.js';
import type { World } from '../target.js';
import { PropertyCase } from './property-case.js';
import { WorstCase } from './worst-case.js';

/** Maximum worlds played while shrinking a counterexample. */
const SHRINK_ATTEMPTS = 300;

function seedNumber(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32BE(0);
}

function missedText(goals: readonly string[], runs: number, steps: number): string | null {
  if (goals.length === 0) return null;
  return `${goals.join(', ')} ${goals.length === 1 ? 'was' : 'were'} never reached in ${runs} runs of up to ${steps} steps, so that the property proves little; give it more runs or steps, or other behaviours`;
}

interface PropertyPlay {
  readonly check: PropertyCheck | null;
  readonly options: PlayOptions;
  readonly isOver: () => boolean;
  /** Called before each run, with its number from 1. */
  readonly onRun: (run: number) => void;
}

/** Plays a property in many worlds, and shrinks a counterexample. Rejects with CannotPlay, UnusableWorld, and errors of the world. */
export async function playProperty(
  scenario: Scenario,
  property: PropertyFile,
  { check, options, isOver, onRun }: PropertyPlay,
): Promise<Pick<ScenarioResult, 'verdict' | 'reason' | 'steps' | 'property' | 'inspector'>> {
  const { target, engine, isDetailed } = options;
  const worldSeed = String(scenario.world.seed ?? options.seed ?? DEFAULT_SEED);
  const { steps: most, sometimes, seed = seedNumber(worldSeed) } = property;
  const who = propertyAgents(property);
  const goals = new Map(sometimes.map((goal) => [goal, 0]));
  let [runs, steps] = [0, 0];
  const worst = new WorstCase(options.keep);

  const inCase = async <T>(
    run: number,
    work: (played: PropertyCase, world: World) => Promise<T>,
  ): Promise<T> => {
    const world = await target.open({ engine, ...scenario.world, seed: `${worldSeed}/${run}` });
    try {
      const context = await ScenarioContext.in(world);
      const played = new PropertyCase(context, { scenario, property, who, check, isDetailed });
      await played.begin();
      return await work(played, world);
    } finally {
      await worst.leave(world);
    }
  };
  const attempt = (run: number, { kind }: Failure, steps: readonly Step[]): Promise<Failure | null> =>
    inCase(run, async (played, world) => {
      const failure = await played.playAll(numberedFrom1(steps));
      if (failure?.kind === kind) await worst.take(played, world);
      return failure;
    }).catch((error: unknown) => {
      // A step without a member that it needs fails in no way of its own.
      if (error instanceof BrokenStep) return null;
      throw error;
    });
  const everyRun = fc.asyncProperty(sequences, async (sequence) => {
    if (sequence.draw === null || isOver()) return;
    const { draw } = sequence;
    await inCase(runs, async (played, world) => {
      onRun(runs + 1);
      const drawn = await played.playDrawn(draw);
      sequence.played(drawn.steps, drawn.failure);
      runs += 1;
      steps += played.results.length;
      for (const goal of played.reached) goals.set(goal, (goals.get(goal) ?? 0) + 1);
      if (drawn.failure === null) return;
      await worst.take(played, world);
    });
    if (sequence.failure !== null) throw new Error(sequence.failure.text);
  });
  const played = async (): Promise<void> => {
    const bounds = { attempts: SHRINK_ATTEMPTS, isOver };
    const { errorInstance, counterexample } = await fc.check(everyRun, {
      seed,
      numRuns: property.runs,
      endOnFailure: true,
    });
    const [found] = counterexample ?? [];
    if (found === undefined) return;
    const { failure } = found;
    // The world itself has failed.
    if (failure === null) throw errorInstance;
    await shrunk({ steps: found.steps, failure }, (shorter) => attempt(runs - 1, failure, shorter), bounds);
  };
  await played().catch(async (error: unknown) => {
    await worst.close();
    throw error;
  });
  // When time is over, nobody waits for its world.
  if (isOver()) await worst.close();
  const unreached = sometimes.filter((goal) => goals.get(goal) === 0);
  const reason = worst.played?.reason ?? missedText(unreached, runs, most);
  return {
    verdict: reason === null ? 'passed' : 'failed',
    reason,
    steps: worst.played?.results ?? [],
    inspector: isOver() ? null : await worst.keep(),
    property: {
      runs,
      steps,
      seed,
      goals: Object.fromEntries([...goals].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      counterexample:
        worst.played === null ? null : asScenario(scenario, who, `${worldSeed}/${runs - 1}`, worst.played),
    },
  };
}
