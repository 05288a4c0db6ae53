import {
  FAILURE_FORMAT,
  FAILURE_VERSION,
  type FailureFile,
  failureName,
  readFailure,
  writeFailure,
} from '../failure/failure-file.js';
import { type CheckSuite, ReplayHarness } from '../play/replay.js';
import { type Failure, plainKind } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzEngine, FuzzTarget, WorldOptions } from '../world.js';
import type { CampaignValue } from './campaign-value.js';
import type { CampaignFind } from './range-player.js';
import { lastId, numberedFrom1, renumbered } from './corpus.js';
import type { Failing } from '../play/sequences.js';
import { type Attempt, shrunkBy } from '../play/shrunk.js';

export interface RefineOptions extends Pick<
  CampaignValue,
  'property' | 'seed' | 'world' | 'agents' | 'shrinkAttempts' | 'shrinkTimeMs'
> {
  readonly checkSuite: CheckSuite;
  readonly software: Readonly<Record<string, string>>;
  /** Real milliseconds since an arbitrary origin. */
  readonly now: () => number;
  /** Awaited between sequences, so that the process can handle signals and messages. */
  readonly pause: () => Promise<void>;
  readonly isStopped: () => boolean;
}

/** A sequence and its failure when replayed, or the campaign's failure if it did not fail again. */
interface Again extends Failing {
  /** `revert`: it fails only after other sequences that were reverted in the same world. */
  readonly how: 'alone' | 'revert' | 'never';
}

export async function failureOf(
  steps: readonly Step[],
  at: { target: FuzzTarget; world: WorldOptions; agents: number; checkSuite: CheckSuite },
): Promise<Failure | null> {
  const harness = await ReplayHarness.open(at.target, at.world, at);
  try {
    return await harness.play(steps);
  } finally {
    await harness.close();
  }
}

/** The steps of a finding, preceded by the earlier sequences of its world, each reverted. */
function withHistory({ opening, before, steps }: CampaignFind, count: number): Step[] {
  const first = opening.length;
  let free = Math.max(first, ...[...before, steps].map(lastId)) + 1;
  const snapshot = free;
  const all: Step[] = [...opening, { id: snapshot, do: 'snapshot', with: {} }];
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

/** Shrinks a finding and verifies it. */
class Refiner {
  readonly #found: CampaignFind;
  readonly #target: FuzzTarget;
  readonly #options: RefineOptions;
  readonly #endMs: number;

  constructor(found: CampaignFind, target: FuzzTarget, options: RefineOptions) {
    this.#found = found;
    this.#target = target;
    this.#options = options;
    this.#endMs = options.now() + options.shrinkTimeMs;
  }

  async file(): Promise<FailureFile> {
    const again = await this.#again();
    const shortest = again.how === 'never' ? again : await this.#shortest(again);
    const file = this.#fileOf(shortest.steps, shortest.failure);
    // Users receive the file, so the file must fail.
    const { steps } = readFailure(writeFailure(file), file.name);
    const failure = shortest.how === 'never' ? null : await this.#inFreshWorld(steps, 'own');
    const confirmed = { ...file.confirmed, failure: await this.#inFreshWorld(steps, 'other') };
    return failure === null ? { ...file, unrepeatable: true, confirmed } : { ...file, failure, confirmed };
  }

  readonly #isOver = () => this.#options.isStopped() || this.#options.now() >= this.#endMs;

  #engineOf(which: 'own' | 'other'): FuzzEngine {
    const { engine } = this.#options.world;
    return which === 'own' ? engine : engine === 'bankrun' ? 'litesvm' : 'bankrun';
  }

  async #inFreshWorld(steps: readonly Step[], which: 'own' | 'other'): Promise<Failure | null> {
    const { world, agents, checkSuite, pause } = this.#options;
    await pause();
    const there = { ...world, engine: this.#engineOf(which) };
    return failureOf(steps, { target: this.#target, world: there, agents, checkSuite });
  }

  /** Rules are now checked after every step, so a failure may occur earlier than it was found, and with another kind. */
  async #again(): Promise<Again> {
    const { steps, failure, before } = this.#found;
    const alone = await this.#inFreshWorld(steps, 'own');
    if (alone !== null) return { steps: steps.slice(0, alone.at + 1), failure: alone, how: 'alone' };
    for (let count = 1; before.length > 0 && !this.#isOver(); count *= 2) {
      const all = withHistory(this.#found, count);
      const later = await this.#inFreshWorld(all, 'own');
      if (later !== null) return { steps: all.slice(0, later.at + 1), failure: later, how: 'revert' };
      if (count >= before.length) break;
    }
    const all = withHistory(this.#found, before.length);
    return { steps: all, failure: { ...failure, at: all.length - 1 }, how: 'never' };
  }

  async #shortest(first: Again): Promise<Again> {
    if (this.#options.isStopped()) return first;
    if (first.how === 'alone') {
      const shrunk = await this.#shrunkInOneWorld(first);
      const again = await this.#inFreshWorld(shrunk.steps, 'own');
      if (again !== null && plainKind(again.kind) === plainKind(first.failure.kind))
        return { ...shrunk, how: 'alone' };
    }
    // State that survives a revert makes a world unusable for further attempts.
    return { ...(await this.#shrunk(first, (steps) => this.#inFreshWorld(steps, 'own'))), how: first.how };
  }

  async #shrunkInOneWorld(first: Again) {
    const { world, agents, checkSuite, pause } = this.#options;
    const harness = await ReplayHarness.open(this.#target, world, { agents, checkSuite });
    try {
      return await this.#shrunk(first, async (steps) => {
        await pause();
        return harness.play(steps);
      });
    } finally {
      await harness.close();
    }
  }

  #shrunk(first: Again, attempt: Attempt): Promise<Failing> {
    return shrunkBy(attempt, first, { attempts: this.#options.shrinkAttempts, isOver: this.#isOver });
  }

  #fileOf(steps: readonly Step[], failure: Failure): FailureFile {
    const { property, seed, software, world, agents, checkSuite } = this.#options;
    const numbered = numberedFrom1(steps);
    return {
      format: FAILURE_FORMAT,
      version: FAILURE_VERSION,
      name: failureName(failure, numbered),
      found: { property, seed, run: this.#found.run },
      software: { ...software },
      world,
      agents,
      ...(checkSuite.isOwnModel === true ? { ownModel: true } : {}),
      failure,
      confirmed: { engine: this.#engineOf('other'), failure: null },
      steps: numbered,
    };
  }
}

/**
 * Shrinks a finding, rounds its numbers, and replays the result from its file, in a fresh world and on the other engine. A finding that
 * fails only after other sequences were reverted keeps the sequences that it needs.
 */
export function refined(
  found: CampaignFind,
  target: FuzzTarget,
  options: RefineOptions,
): Promise<FailureFile> {
  return new Refiner(found, target, options).file();
}
