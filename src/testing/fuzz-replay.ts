import { readUserText } from '../core/user-file.js';
import type { Simulator } from '../simulator/simulator.js';
import { type InProcessFuzzWorld, inProcessFuzz, inProcessFuzzWith } from './drivers/in-process-fuzz.js';
import { type CampaignInput, checkNames, checkSuiteOf } from './fuzz-campaign.js';
import { checkArguments } from './fuzz/commands/arguments.js';
import { type FailureFile, readFailure } from './fuzz/failure/failure-file.js';
import { ReplayHarness } from './fuzz/play/replay.js';
import { type Failure, ruleName } from './fuzz/play/sequences.js';
import type { FuzzTarget } from './fuzz/world.js';

const REPLAY_OPTIONS = ['commands', 'rules', 'makeModel', 'engine'] as const;

export type ReplayOptions = Pick<CampaignInput, (typeof REPLAY_OPTIONS)[number]>;

export interface Replayed {
  /** FIXED if all rules hold; UNCHECKED if the rule or model that found it is missing and all others hold. */
  readonly verdict: 'FIXED' | 'FAILED' | 'UNCHECKED';
  /** The failure; null if it passes. */
  readonly failure: Failure | null;
  /** The missing rule or model that found it, such as `the rule noLargeSavings`. */
  readonly missing?: string;
}

/** The rule or model that found a counterexample, if it is missing. */
function missingFor(
  { failure, ownModel }: FailureFile,
  { rules = [], makeModel }: ReplayOptions,
): string | null {
  const { rule } = failure;
  // A rule without a name is named by its position, where any other may stand now.
  if (rule !== undefined && /^rule \d+$/.test(rule)) return 'a rule without a name';
  if (rule !== undefined && !rules.map(ruleName).includes(rule)) return `the rule ${rule}`;
  return ownModel === true && makeModel === undefined ? 'a model' : null;
}

function verdictOf(file: FailureFile, failure: Failure | null, options: ReplayOptions): Replayed {
  if (failure !== null) return { verdict: 'FAILED', failure };
  const missing = missingFor(file, options);
  return missing === null ? { verdict: 'FIXED', failure } : { verdict: 'UNCHECKED', failure, missing };
}

/** Replays a counterexample in a world of `target`, which stays open. */
async function played(
  file: FailureFile,
  target: FuzzTarget,
  options: ReplayOptions,
): Promise<{ readonly replayed: Replayed; readonly harness: ReplayHarness }> {
  const { world, agents, steps } = file;
  checkNames('option', Object.keys(options), REPLAY_OPTIONS);
  const checkSuite = checkSuiteOf(options);
  const there = { ...world, engine: options.engine ?? world.engine };
  const harness = await ReplayHarness.open(target, there, { agents, checkSuite });
  try {
    checkArguments(steps, harness);
    return { replayed: verdictOf(file, await harness.play(steps), options), harness };
  } catch (error) {
    await harness.close();
    throw error;
  }
}

/**
 * Replays a counterexample in an equal world, or on another engine. Pass the custom commands and rules that found it. Throws UnreadableFailure, and RangeError for an unknown command, argument or option.
 */
export async function replay(file: FailureFile | string, options: ReplayOptions = {}): Promise<Replayed> {
  const read = typeof file === 'string' ? readFailure(readUserText(file), file) : file;
  const { replayed, harness } = await played(read, inProcessFuzz, options);
  await harness.close();
  return replayed;
}

/** Replays a counterexample and returns its world after the failing step, with up to `history` requests to revert to. */
export async function replayedWorld(
  file: FailureFile,
  history: number,
): Promise<{ readonly sim: Simulator; readonly replayed: Replayed }> {
  const { replayed, harness } = await played(file, inProcessFuzzWith(history), {});
  return { sim: (harness.runner.world as InProcessFuzzWorld).sim, replayed };
}
