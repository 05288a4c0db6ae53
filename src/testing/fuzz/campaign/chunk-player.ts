import type { Command } from '../commands/command.js';
import type { CheckSuite } from '../failure/replay.js';
import { ModelRunner, type ModelRunnerSnapshot } from '../play/model-runner.js';
import { opening } from '../play/opening.js';
import {
  type Failure,
  type PlayOptions,
  plainKind,
  playSequence,
  playStep,
  proof,
} from '../play/sequence.js';
import type { Random } from '../random.js';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import type { CampaignValue, Chunk } from './campaign-value.js';
import { type CorpusEntry, type SentEntry, mutated, sent } from './corpus.js';
import type { GenerationCorpus } from './corpus-generations.js';
import { Coverage, type CoverageRow, stateClass } from './coverage.js';
import { drawnLimits } from './drawn-limits.js';
import { MOST_OF_A_KIND, isIgnored } from './finds.js';
import { type Approaches, Goals } from './goals.js';
import type { Part } from './parts.js';
import { type Found, type PlayRun, type SequenceWorld, search } from './search.js';

/** A failing sequence with its opening, and what its world had been through. */
export interface CampaignFind extends Found {
  readonly opening: readonly Step[];
  /** Sequences that were played in the same world and reverted, without the opening. */
  readonly before: readonly (readonly Step[])[];
  /** Its world, when that is not the campaign's. */
  readonly world?: WorldOptions;
}

/** What a chunk is played with. */
export interface ChunkOrder extends Chunk {
  readonly corpus: GenerationCorpus;
  /** Ends after so many findings. */
  readonly maxFinds: number;
}

/** What the runs of a chunk came to, as plain JSON. */
export interface ChunkResult {
  readonly next: number;
  readonly runs: number;
  readonly steps: number;
  /** In the order of discovery. Triples that the corpus of the chunk reaches are named by their numbers. */
  readonly coverage: readonly CoverageRow<string | number>[];
  readonly goals: Readonly<Record<string, number>>;
  readonly approaches: Approaches;
  readonly finds: readonly CampaignFind[];
  readonly repeats: number;
  /** Sequences that reached something that the corpus does not. */
  readonly corpus: readonly SentEntry[];
  /** Whether the opening itself fails, so that no run can succeed. */
  readonly isOver: boolean;
}

/** Number of steps between reconciliations of books and chain. */
const PROOF_EVERY = 32;
/** Number of steps after which a world is replaced, since engines retain data about each transaction. */
const WORLD_STEPS = { litesvm: 50_000, bankrun: 5_000 } as const;

const NOTHING_TO_DRAW =
  'none of the commands that are allowed can be drawn: allow signIn, send or others too';

/** The commands as they weigh in the current state. */
function weighedNow(commands: readonly Command[], runner: ModelRunner): readonly Command[] {
  return commands.map((command) => {
    const { weight, times } = command;
    return times === undefined ? command : { ...command, weight: weight * times(runner) };
  });
}

/** Draws a step of one of the commands; null when it is impossible now. */
export function drawStep(
  id: number,
  commands: readonly Command[],
  { random, runner }: { readonly random: Random; readonly runner: ModelRunner },
): Step | null {
  runner.drawingBegins();
  const drawn = random.weighed(weighedNow(commands, runner)).draw(random, runner);
  if (drawn === null) return null;
  // An expired token can do little, so it is used only occasionally.
  const { by } = drawn;
  const isOver = by !== undefined && !runner.isSignedIn(by) && drawn.with['auth'] === undefined;
  if (isOver && random.chance(85)) return { id, do: 'signIn', by, with: {} };
  return { id, ...drawn };
}

/** A world after its opening steps, ready to play sequences. */
interface FuzzSession {
  readonly runner: ModelRunner;
  readonly opened: ModelRunnerSnapshot;
  steps: number;
  readonly sequences: (readonly Step[])[];
}

/** What a chunk has come to so far. */
export class ChunkTally {
  readonly coverage = new Coverage();
  readonly goals = new Goals();
  readonly finds: CampaignFind[] = [];
  readonly corpus: SentEntry[] = [];
  readonly #kinds = new Map<string, number>();
  runs = 0;
  steps = 0;
  repeats = 0;
  next: number;
  isOver = false;

  constructor(first: number) {
    this.next = first;
  }

  /** Adds a failure. Of a kind that fails all the time, the first ones are enough. */
  add(find: CampaignFind, ignored: readonly string[]): void {
    const kind = plainKind(find.failure.kind);
    const known = this.#kinds.get(kind) ?? 0;
    this.#kinds.set(kind, known + 1);
    if (known >= MOST_OF_A_KIND || isIgnored(find.failure.kind, ignored)) this.repeats += 1;
    else this.finds.push(find);
  }

  result(numberOf: GenerationCorpus['numberOf'] = () => undefined): ChunkResult {
    const { next, runs, steps, coverage, goals, finds, repeats, corpus, isOver } = this;
    const reached = Object.entries(goals.counts()).filter(([, times]) => times > 0);
    return {
      next,
      runs,
      steps,
      coverage: coverage.rows().map(([key, count, at]) => [numberOf(key) ?? key, count, at]),
      goals: Object.fromEntries(reached),
      approaches: goals.approaches(),
      finds,
      repeats,
      corpus,
      isOver,
    };
  }
}

/** Called after each sequence; returns whether to continue. */
export type AfterSequence = (tally: ChunkTally) => boolean | Promise<boolean>;

/** Plays chunks of one campaign. */
export class ChunkPlayer {
  readonly #target: FuzzTarget;
  readonly #campaign: CampaignValue;
  readonly #checkSuite: CheckSuite;
  readonly #play: PlayOptions;
  readonly #opening: readonly Step[];
  #session: FuzzSession | null = null;
  #world: WorldOptions;

  constructor(target: FuzzTarget, campaign: CampaignValue, checkSuite: CheckSuite) {
    this.#target = target;
    this.#campaign = campaign;
    this.#world = campaign.world;
    this.#checkSuite = checkSuite;
    const { commands, rules } = checkSuite;
    this.#play = {
      commands: new Map(commands.map((command) => [command.name, command])),
      rules,
      proofEvery: PROOF_EVERY,
    };
    this.#opening = opening(ModelRunner.namesOf(campaign.agents));
  }

  /**
   * Plays a chunk, in the world of the last one if that is still good, since opening a world takes as long as fifty steps. A failure in such
   * a world may come from what it has been through: then the result is that of a fresh world, if it fails there too. Rejects with errors of
   * the world itself.
   */
  async play(order: ChunkOrder, afterSequence: AfterSequence): Promise<ChunkResult> {
    await this.#enter(order.number);
    const wasUsed = this.#session !== null;
    const result = await this.#played(order, afterSequence);
    if (!wasUsed || (result.finds.length === 0 && result.repeats === 0)) return result;
    await this.close();
    const again = await this.#played({ ...order, end: result.next }, afterSequence);
    return again.finds.length === 0 && again.repeats === 0 ? result : again;
  }

  /** Leaves the world of the last chunk if this one has other limits. */
  async #enter(chunk: number): Promise<void> {
    const { world, seed, variesLimits } = this.#campaign;
    if (variesLimits !== true) return;
    await this.close();
    this.#world = { ...world, limits: drawnLimits({ seed, chunk }, world.limits) };
  }

  async close(): Promise<void> {
    await this.#session?.runner.world.close();
    this.#session = null;
  }

  async #played(order: ChunkOrder, afterSequence: AfterSequence): Promise<ChunkResult> {
    const { end, maxFinds } = order;
    const { seed, share, steps, ignored } = this.#campaign;
    const tally = new ChunkTally(order.first);
    const goOn = () => afterSequence(tally);
    while (tally.next < end) {
      const options = { runs: end, steps, seed, share, first: tally.next };
      const found = await search(options, this.#playRun(order, tally), goOn);
      if (found === null) break;
      const world = this.#campaign.variesLimits === true ? { world: this.#world } : {};
      tally.add({ ...found, opening: this.#opening, before: this.#before(), ...world }, ignored);
      // A failure may have left something in its world.
      await this.close();
      tally.isOver = found.steps.length <= this.#opening.length;
      if (tally.isOver || tally.finds.length >= maxFinds || !(await goOn())) break;
    }
    return tally.result(order.corpus.numberOf);
  }

  #before(): readonly (readonly Step[])[] {
    return this.#session?.sequences.slice(0, -1) ?? [];
  }

  #playRun(order: ChunkOrder, tally: ChunkTally): PlayRun {
    return async (run, sequence) => {
      if (this.#session !== null && this.#session.steps >= WORLD_STEPS[this.#campaign.world.engine])
        await this.close();
      if (this.#session === null) {
        const begun = await this.#begin();
        if ('failure' in begun) return { run, steps: this.#opening, ...begun };
        this.#session = begun;
      }
      const found = await sequence(await this.#restored(this.#session, { order, tally, run }));
      tally.runs += 1;
      tally.next = run + this.#campaign.share.count;
      if (found === null) return null;
      const steps = [...this.#opening, ...found.steps];
      return { ...found, steps, failure: { ...found.failure, at: steps.length - 1 } };
    };
  }

  /** Opens a world and plays the opening steps. */
  async #begin(): Promise<FuzzSession | { readonly failure: Failure }> {
    const world = await this.#target.open(this.#world);
    const model = this.#checkSuite.makeModel(world.modelConfig);
    const runner = new ModelRunner(world, model, this.#campaign.agents);
    const failure = await playSequence(this.#opening, { runner, options: this.#play });
    if (failure !== null) {
      await world.close();
      return { failure };
    }
    return { runner, opened: await runner.snapshot(), steps: 0, sequences: [] };
  }

  /** The world as the opening left it. */
  async #restored(
    session: FuzzSession,
    { order, tally, run }: { order: ChunkOrder; tally: ChunkTally; run: number },
  ): Promise<SequenceWorld> {
    const { runner, opened } = session;
    await runner.restore(opened);
    const reached: string[] = [];
    const played: Step[] = [];
    let part = order.corpus.parts[0] as Part;
    session.sequences.push(played);
    return {
      planned: (random) => {
        part = random.weighed(order.corpus.parts);
        return this.#planned(order.corpus.entries, random);
      },
      draw: (random, last) => {
        const id = (last?.id ?? this.#opening.length) + 1;
        return drawStep(id, part.commands, { random, runner });
      },
      play: (step, at) => {
        session.steps += 1;
        played.push(step);
        return this.#step(step, at, {
          runner,
          tally,
          reached: (key) => order.corpus.numberOf(key) === undefined && reached.push(key),
        });
      },
      end: async (steps) => {
        if (steps.length === 0) throw new RangeError(NOTHING_TO_DRAW);
        const failure = await proof(steps, steps.length - 1, runner);
        if (failure === null && reached.length > 0)
          tally.corpus.push(sent({ steps, reached, run, part: part.name }));
        return failure;
      },
    };
  }

  /** The initial steps of a sequence: none, or a mutated corpus entry. */
  #planned(corpus: readonly CorpusEntry[], random: Random): readonly Step[] {
    if (corpus.length === 0 || random.chance(50)) return [];
    return mutated(corpus, random).slice(0, this.#campaign.steps);
  }

  async #step(
    step: Step,
    at: number,
    { runner, tally, reached }: { runner: ModelRunner; tally: ChunkTally; reached: (key: string) => void },
  ): Promise<Failure | null> {
    const { by } = step;
    const accountState = by === undefined ? null : runner.accountState(by);
    runner.drawingEnds();
    const before = accountState === null ? 'nobody' : stateClass(accountState);
    const { outcome, failure } = await playStep(step, at, { runner, options: this.#play });
    tally.steps += 1;
    const discovered = tally.coverage.add(before, `${step.do} ${outcome}`, tally.steps);
    if (discovered !== null) reached(discovered);
    // A refusal changes no state.
    const isChanged = outcome === 'ok' || outcome === 'lost' || outcome.includes('+');
    tally.goals.note(outcome, by !== undefined && isChanged ? runner.accountState(by) : accountState);
    return failure;
  }
}
