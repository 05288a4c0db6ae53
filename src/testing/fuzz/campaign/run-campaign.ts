import { FAILURE_FORMAT, FAILURE_VERSION, type FailureFile, failureName } from '../failure/failure-file.js';
import { type CheckSuite, ReplayHarness } from '../failure/replay.js';
import type { Failure } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzEngine, FuzzTarget, WorldOptions } from '../world.js';
import {
  Campaign,
  type CampaignOptions,
  type CampaignResult,
  type Found,
  type Progress,
} from './campaign.js';
import { renumbered } from './corpus.js';
import { type Attempt, Shrinker } from './shrink.js';
import type { Summary } from './summary.js';

/** What a whole campaign is to do. */
export interface WholeCampaign extends Omit<CampaignOptions, 'commands' | 'rules'> {
  readonly property: string;
  readonly checkSuite: CheckSuite;
  /** Every command that sequences may hold, drawn or not. */
  readonly drawn: CampaignOptions['commands'];
  /** Sequences that may be played to make a counterexample shorter. */
  readonly shrinkAttempts: number;
  /** Versions of what it runs on. */
  readonly software: Readonly<Record<string, string>>;
  /** Real milliseconds, of any beginning. */
  readonly now: () => number;
  /** Told when something was found and is made shorter. */
  readonly onFound: (found: Found) => void;
  /** Waited for between sequences: lets the process hear signals and messages, for which playing them leaves no time. */
  readonly pause: () => Promise<void>;
  /** Whether what was found is not made shorter any more. */
  readonly isStopped: () => boolean;
}

function otherEngine(engine: FuzzEngine): FuzzEngine {
  return engine === 'bankrun' ? 'litesvm' : 'bankrun';
}

/** Steps numbered from 1 on. */
function tidied(steps: readonly Step[]): Step[] {
  const numbers = new Map(steps.map(({ id }, at) => [id, at + 1]));
  return renumbered(steps, (id) => numbers.get(id) ?? id);
}

/** How steps fail in a world of their own; null when they do not. */
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

/** Makes what was found short and round, and plays it on the other engine too. */
async function refined(found: Found, target: FuzzTarget, campaign: WholeCampaign): Promise<FailureFile> {
  const { world, agents, checkSuite, seed, property, software } = campaign;
  const harness = await ReplayHarness.open(target, world, { agents, checkSuite });
  let { steps, failure } = found;
  try {
    // Rules are asked after every step now, so that it may show earlier than where it was found.
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
  steps = tidied(steps);
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
 * Plays a campaign. What it finds is made as short and round as it can be and played on the other engine. Rejects with what a world
 * cannot do.
 */
export async function runCampaign(target: FuzzTarget, campaign: WholeCampaign): Promise<Summary> {
  const { checkSuite, drawn, now, property } = campaign;
  const begunMs = now();
  const { makeModel, rules, commands } = checkSuite;
  const goOn = async (progress: Progress) => {
    await campaign.pause();
    return campaign.goOn(progress);
  };
  const options = { ...campaign, commands, drawn, rules, goOn };
  const result = await new Campaign(target, makeModel, options).run();
  const seconds = (now() - begunMs) / 1_000;
  if (result.found === null) return summaryOf(result, { property, seconds, found: null });
  campaign.onFound(result.found);
  const found = await refined(result.found, target, campaign);
  return summaryOf(result, { property, seconds, found });
}
