import { FAILURE_FORMAT, FAILURE_VERSION, type FailureFile, failureName } from '../failure/failure-file.js';
import { type CheckSuite, ReplayHarness } from '../failure/replay.js';
import type { Failure } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzEngine, FuzzTarget, WorldOptions } from '../world.js';
import { Campaign, type CampaignOptions, type CampaignResult, type Progress } from './campaign.js';
import { numberedFrom1 } from './corpus.js';
import type { Found } from './search.js';
import { type Attempt, Shrinker } from './shrink-sequence.js';
import type { Summary } from './summary.js';

/** Resolved options of a whole campaign, including shrinking. */
export interface WholeCampaign extends Omit<CampaignOptions, 'commands' | 'rules'> {
  readonly property: string;
  readonly checkSuite: CheckSuite;
  /** Maximum sequences to play while shrinking a counterexample. */
  readonly shrinkAttempts: number;
  /** Versions of the software it runs on. */
  readonly software: Readonly<Record<string, string>>;
  /** Real milliseconds since an arbitrary origin. */
  readonly now: () => number;
  /** Called when a failure is found, before shrinking. */
  readonly onFound: (found: Found) => void;
  /** Awaited between sequences, so that the process can handle signals and messages. */
  readonly pause: () => Promise<void>;
  /** Whether to stop shrinking. */
  readonly isStopped: () => boolean;
}

function otherEngine(engine: FuzzEngine): FuzzEngine {
  return engine === 'bankrun' ? 'litesvm' : 'bankrun';
}

/** Plays steps in a fresh world; returns their failure, or null. */
export async function failureOf(
  steps: readonly Step[],
  {
    target,
    world,
    agents,
    checkSuite,
  }: { target: FuzzTarget; world: WorldOptions; agents: number; checkSuite: CheckSuite },
): Promise<Failure | null> {
  const harness = await ReplayHarness.open(target, world, { agents, checkSuite });
  try {
    return await harness.play(steps);
  } finally {
    await harness.close();
  }
}

/** Shrinks a failing sequence, rounds its numbers and replays it on the other engine. */
async function refined(found: Found, target: FuzzTarget, campaign: WholeCampaign): Promise<FailureFile> {
  const { world, agents, checkSuite, seed, property, software } = campaign;
  const harness = await ReplayHarness.open(target, world, { agents, checkSuite });
  let { steps, failure } = found;
  try {
    // Rules are now checked after every step, so the failure may show earlier than where it was found.
    const again = await harness.play(steps);
    if (again !== null) {
      const first = { steps: steps.slice(0, again.at + 1), failure: again };
      const bounds = { attempts: campaign.shrinkAttempts, isOver: campaign.isStopped };
      const attempt: Attempt = async (each) => {
        await campaign.pause();
        return harness.play(each);
      };
      ({ steps, failure } = await new Shrinker(attempt, first, bounds).shrink());
    }
  } finally {
    await harness.close();
  }
  steps = numberedFrom1(steps);
  const engine = otherEngine(world.engine);
  const confirmed = await failureOf(steps, { target, world: { ...world, engine }, agents, checkSuite });
  return {
    format: FAILURE_FORMAT,
    version: FAILURE_VERSION,
    name: failureName(failure, steps),
    found: { property, seed, run: found.run },
    software: { ...software },
    world,
    agents,
    failure: { ...failure },
    confirmed: { engine, failure: confirmed },
    steps: steps.map((step) => ({ ...step })) as FailureFile['steps'],
  };
}

function summaryOf(
  result: CampaignResult,
  more: { readonly property: string; readonly seconds: number; readonly found: FailureFile | null },
): Summary {
  const { runs, steps, coverage, goals, outcomes, corpus } = result;
  return {
    ...more,
    runs,
    steps,
    coverage: coverage.counts(),
    discoveries: coverage.discoveries(),
    goals: goals.counts(),
    approaches: goals.approaches(),
    outcomes: Object.fromEntries([...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    corpus,
  };
}

/**
 * Runs a campaign. A failure is shrunk, its numbers are rounded, and it is replayed on the other engine. Rejects with errors of the world
 * itself.
 */
export async function runCampaign(target: FuzzTarget, campaign: WholeCampaign): Promise<Summary> {
  const { checkSuite, now, property } = campaign;
  const begunMs = now();
  const { makeModel, rules, commands } = checkSuite;
  const goOn = async (progress: Progress) => {
    await campaign.pause();
    return campaign.goOn(progress);
  };
  const options = { ...campaign, commands, rules, goOn };
  const result = await new Campaign(target, makeModel, options).run();
  const seconds = (now() - begunMs) / 1_000;
  if (result.found === null) return summaryOf(result, { property, seconds, found: null });
  campaign.onFound(result.found);
  const found = await refined(result.found, target, campaign);
  return summaryOf(result, { property, seconds, found });
}
