import { Random } from '../random.js';
import type { Failure } from '../play/sequence.js';
import type { Step } from '../step.js';

/** How many sequences to draw, and how long. */
export interface SearchOptions {
  /** Number of sequences; null for as many as the time allows. */
  readonly runs: number | null;
  /** Maximum steps per sequence. */
  readonly steps: number;
  readonly seed: number;
  /** Which share of the runs to play: `index` of `count`, from 0. */
  readonly share: { readonly index: number; readonly count: number };
  /** The run of the share to begin with; its first when left out. */
  readonly first?: number;
}

/** A sequence that broke a rule. */
export interface Found {
  readonly run: number;
  readonly steps: readonly Step[];
  readonly failure: Failure;
}

/** A world that is ready for one sequence. */
export interface SequenceWorld {
  /** The initial steps of the sequence; none when absent. All others are drawn. */
  planned?(random: Random): readonly Step[];
  /** Draws the next step; null when what was drawn is impossible now. A sequence ends where nothing is possible. */
  draw(random: Random, last: Step | undefined): Step | null;
  /** Plays a step and checks every rule. */
  play(step: Step, at: number): Promise<Failure | null>;
  /** Checks what must hold after the last step: a failure is of that step, or after all of them. */
  end(steps: readonly Step[]): Promise<Failure | null>;
}

/** Plays one run in a world of its own: calls `sequence` with it. */
export type PlayRun = (
  run: number,
  sequence: (world: SequenceWorld) => Promise<Found | null>,
) => Promise<Found | null>;

const DRAW_TRIES = 1_000;

function drawn(world: SequenceWorld, random: Random, last: Step | undefined): Step | null {
  for (let tries = 0; tries < DRAW_TRIES; tries += 1) {
    const step = world.draw(random, last);
    if (step !== null) return step;
  }
  return null;
}

/** Plays random sequences until one breaks a rule, the runs are used up or `goOn` says no. The same seed draws the same. */
export async function search(
  { runs, steps: most, seed, share, first = share.index }: SearchOptions,
  playRun: PlayRun,
  goOn: () => boolean | Promise<boolean>,
): Promise<Found | null> {
  const end = runs ?? Number.POSITIVE_INFINITY;
  for (let run = first; run < end; run += share.count) {
    const found = await playRun(run, async (world) => {
      const random = new Random(Math.imul(seed + 1, 0x9e3779b1) + run);
      const steps: Step[] = [...(world.planned?.(random) ?? [])];
      const wanted = Math.max(Math.ceil(most / 4), 1 + random.below(most));
      let failure: Failure | null = null;
      for (let at = 0; at < Math.max(wanted, steps.length) && failure === null; at += 1) {
        const step = steps[at] ?? drawn(world, random, steps.at(-1));
        if (step === null) break;
        steps[at] = step;
        failure = await world.play(step, at);
      }
      failure ??= await world.end(steps);
      return failure === null ? null : { run, steps: steps.slice(0, failure.at + 1), failure };
    });
    if (found !== null) return found;
    if (!(await goOn())) break;
  }
  return null;
}

/** Plays a whole sequence; returns its first failure, or null. */
export async function playAll(steps: readonly Step[], world: SequenceWorld): Promise<Failure | null> {
  for (const [at, step] of steps.entries()) {
    const failure = await world.play(step, at);
    if (failure !== null) return failure;
  }
  return world.end(steps);
}
