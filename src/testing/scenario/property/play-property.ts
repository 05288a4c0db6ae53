import { createHash } from 'node:crypto';
import { DEFAULT_SEED } from '../../../runtime/config.js';
import { numberedFrom1 } from '../../fuzz/campaign/corpus.js';
import { type Found, type PlayRun, playAll, search } from '../../fuzz/campaign/search.js';
import { Shrinker } from '../../fuzz/campaign/shrink-sequence.js';
import type { Step } from '../../fuzz/step.js';
import type { Failure } from '../../fuzz/play/sequence.js';
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
  const playRun: PlayRun = (run, sequence) =>
    inCase(run, async (played, world) => {
      onRun(runs + 1);
      const found = await sequence(played);
      runs += 1;
      steps += played.results.length;
      for (const goal of played.reached) goals.set(goal, (goals.get(goal) ?? 0) + 1);
      if (found !== null) await worst.take(played, world);
      return found;
    });
  const attempt = ({ run, failure }: Found, shorter: readonly Step[]): Promise<Failure | null> =>
    inCase(run, async (played, world) => {
      const again = await playAll(numberedFrom1(shorter), played);
      if (again?.kind === failure.kind) await worst.take(played, world);
      return again;
    }).catch((error: unknown) => {
      // A step without a member that it needs fails in no way of its own.
      if (error instanceof BrokenStep) return null;
      throw error;
    });

  const draws = { runs: property.runs, steps: most, seed, share: { index: 0, count: 1 } };
  const bounds = { attempts: SHRINK_ATTEMPTS, isOver };
  const played = async (): Promise<Found | null> => {
    const found = await search(draws, playRun, () => !isOver());
    if (found !== null) await new Shrinker((shorter) => attempt(found, shorter), found, bounds).shrink();
    return found;
  };
  const found = await played().catch(async (error: unknown) => {
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
        worst.played === null || found === null
          ? null
          : asScenario(scenario, who, `${worldSeed}/${found.run}`, worst.played),
    },
  };
}
