import { setImmediate } from 'node:timers/promises';
import {
  FAILURE_FORMAT,
  FAILURE_VERSION,
  type FailureFile,
  failureName,
  readFailure,
  writeFailure,
} from '../failure/failure-file.js';
import { ModelRunner } from '../play/model-runner.js';
import { type CheckSuite, ReplayHarness, opening } from '../play/replay.js';
import { type Failure, plainKind, type Failing } from '../play/sequences.js';
import type { Step } from '../step.js';
import type { FuzzTarget } from '../world.js';
import type { CampaignValue } from './campaign-value.js';
import type { CampaignFind } from './range-player.js';
import { lastId, numberedFrom1, renumbered } from './corpus.js';
import { type Attempt, shrunkBy } from '../play/shrunk.js';

export interface RefineOptions extends Pick<
  CampaignValue,
  'property' | 'seed' | 'world' | 'agents' | 'shrinkAttempts' | 'shrinkTimeMs'
> {
  readonly checkSuite: CheckSuite;
  readonly software: Readonly<Record<string, string>>;
  readonly isStopped: () => boolean;
}

/** What a refinement needs: its options, where it is played, and when it is over. */
interface Refining extends RefineOptions {
  readonly target: FuzzTarget;
  readonly isOver: () => boolean;
}

/** Where steps are played, and what checks them. */
type Place = Pick<Refining, 'target' | 'world' | 'agents' | 'checkSuite'>;

/** A sequence and its failure when replayed, or the campaign's failure if it did not fail again. */
interface Again extends Failing {
  /** `revert`: it fails only after other sequences that were reverted in the same world. */
  readonly how: 'alone' | 'revert' | 'never';
}

/** Opens a world for some work, and closes it. */
async function inWorld<T>(at: Place, work: (harness: ReplayHarness) => Promise<T>): Promise<T> {
  const harness = await ReplayHarness.open(at.target, at.world, at);
  try {
    return await work(harness);
  } finally {
    await harness.close();
  }
}

/** Plays steps in a fresh world. Lets the process handle signals and messages before. */
export async function failureOf(steps: readonly Step[], at: Place): Promise<Failure | null> {
  await setImmediate();
  return inWorld(at, (harness) => harness.play(steps));
}

/** The steps of a finding, preceded by the earlier sequences of its world, each reverted. */
function withHistory({ before, steps }: CampaignFind, agents: number, count: number): Step[] {
  const begin = opening(ModelRunner.namesOf(agents));
  const first = begin.length;
  let free = Math.max(first, ...[...before, steps].map(lastId)) + 1;
  const snapshot = free;
  const all: Step[] = [...begin, { id: snapshot, do: 'snapshot', with: {} }];
  const add = (sequence: readonly Step[]) => {
    const offset = free;
    const moved = renumbered(sequence, (id) => (id <= first ? id : id + offset));
    all.push(...moved);
    free = Math.max(free, lastId(moved)) + 1;
  };
  for (const sequence of count === 0 ? [] : before.slice(-count)) {
    add(sequence);
    all.push({ id: free, do: 'revert', with: { to: `\${s${snapshot}.snapshot}` } });
    free += 1;
  }
  add(steps.slice(first));
  return all;
}

/** Rules are now checked after every step, so a failure may occur earlier than it was found, and with another kind. */
async function failingAgain(
  found: CampaignFind,
  attempt: Attempt,
  { agents, isOver }: Pick<Refining, 'agents' | 'isOver'>,
): Promise<Again> {
  const { steps, failure, before } = found;
  const alone = await attempt(steps);
  if (alone !== null) return { steps: steps.slice(0, alone.at + 1), failure: alone, how: 'alone' };
  for (let count = 1; before.length > 0 && !isOver(); count *= 2) {
    const all = withHistory(found, agents, count);
    const later = await attempt(all);
    if (later !== null) return { steps: all.slice(0, later.at + 1), failure: later, how: 'revert' };
    if (count >= before.length) break;
  }
  const all = withHistory(found, agents, before.length);
  return { steps: all, failure: { ...failure, at: all.length - 1 }, how: 'never' };
}

/** Shrinks a sequence that fails alone, in one world. */
function shrunkInOneWorld(first: Failing, refining: Refining): Promise<Failing> {
  const { shrinkAttempts: attempts, isOver } = refining;
  return inWorld(refining, (harness) => {
    const attempt: Attempt = async (steps) => {
      await setImmediate();
      return harness.play(steps);
    };
    return shrunkBy(attempt, first, { attempts, isOver });
  });
}

/** Shrinks a failing sequence. `attempt` plays in a fresh world, where the result must fail in the same way. */
async function shortestOf(again: Again, attempt: Attempt, refining: Refining): Promise<Failing> {
  if (again.how === 'never' || refining.isStopped()) return again;
  if (again.how === 'alone') {
    const shrunk = await shrunkInOneWorld(again, refining);
    const failure = await attempt(shrunk.steps);
    if (failure !== null && plainKind(failure.kind) === plainKind(again.failure.kind)) return shrunk;
  }
  // State that survives a revert makes a world unusable for further attempts.
  return shrunkBy(attempt, again, { attempts: refining.shrinkAttempts, isOver: refining.isOver });
}

/**
 * Shrinks a finding, rounds its numbers, and replays the result from its file, in a fresh world and on the other engine. A finding that
 * fails only after other sequences were reverted keeps the sequences that it needs.
 */
export async function refined(
  found: CampaignFind,
  target: FuzzTarget,
  options: RefineOptions,
): Promise<FailureFile> {
  const { property, seed, software, world, agents, checkSuite, isStopped } = options;
  const endMs = performance.now() + options.shrinkTimeMs;
  const isOver = () => isStopped() || performance.now() >= endMs;
  const refining: Refining = { ...options, target, isOver };
  const attempt = (steps: readonly Step[], engine = world.engine) =>
    failureOf(steps, { ...refining, world: { ...world, engine } });
  const again = await failingAgain(found, attempt, refining);
  const shortest = await shortestOf(again, attempt, refining);
  const numbered = numberedFrom1(shortest.steps);
  const other = world.engine === 'bankrun' ? 'litesvm' : 'bankrun';
  const file: FailureFile = {
    format: FAILURE_FORMAT,
    version: FAILURE_VERSION,
    name: failureName(shortest.failure, numbered),
    found: { property, seed, run: found.run },
    software: { ...software },
    world,
    agents,
    ...(checkSuite.isOwnModel === true ? { ownModel: true } : {}),
    failure: shortest.failure,
    confirmed: { engine: other, failure: null },
    steps: numbered,
  };
  // Users receive the file, so the file must fail.
  const { steps } = readFailure(writeFailure(file), file.name);
  const failure = again.how === 'never' ? null : await attempt(steps);
  const confirmed = { ...file.confirmed, failure: await attempt(steps, other) };
  return failure === null ? { ...file, unrepeatable: true, confirmed } : { ...file, failure, confirmed };
}
