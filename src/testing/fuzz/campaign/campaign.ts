import type { Command } from '../commands/command.js';
import type { Random } from '../random.js';
import type { ServiceModel, ModelConfig } from '../model/types.js';
import { opening } from '../play/opening.js';
import { ModelRunner, type ModelRunnerSnapshot } from '../play/model-runner.js';
import {
  type Failure,
  type PlayOptions,
  type Rule,
  playSequence,
  playStep,
  proof,
} from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import { type CorpusEntry, mutated } from './corpus.js';
import { Coverage, stateClass } from './coverage.js';
import { Goals } from './goals.js';
import type { Summary } from './summary.js';
import { type Found, type PlayRun, type SearchOptions, type SequenceWorld, search } from './search.js';

/** Resolved options of a campaign. */
export interface CampaignOptions extends SearchOptions {
  readonly world: WorldOptions;
  /** 1 to 8. */
  readonly agents: number;
  /** All commands that sequences may contain. */
  readonly commands: readonly Command[];
  /** The commands to draw, with their weights. */
  readonly drawn: readonly Command[];
  readonly rules: readonly Rule[];
  /** Sequences to start from. */
  readonly corpus: readonly CorpusEntry[];
  /** The campaign that this one goes on with; its result then includes it. */
  readonly earlier: Summary | null;
  /** Called after each sequence; returns whether to continue. */
  readonly goOn: (progress: Progress) => boolean | Promise<boolean>;
  /** Called with each failing sequence; returns whether to continue. */
  readonly onFound: (found: CampaignFind) => boolean | Promise<boolean>;
}

/** A failing sequence with its opening, and what its world had been through. */
export interface CampaignFind extends Found {
  readonly opening: readonly Step[];
  /** Sequences that were played in the same world and reverted, without the opening. */
  readonly before: readonly (readonly Step[])[];
}

/** Progress of a campaign. */
export interface Progress {
  readonly runs: number;
  readonly steps: number;
  readonly coverage: Coverage;
  readonly goals: Goals;
  /** Outcomes by command. */
  readonly outcomes: ReadonlyMap<string, number>;
}

export interface CampaignResult extends Progress {
  /** Sequences that reached something new, without their opening. */
  readonly corpus: readonly CorpusEntry[];
  /** The number of the run to go on with. */
  readonly next: number;
}

/** Number of steps between reconciliations of books and chain. */
const PROOF_EVERY = 32;
/** Number of steps after which a world is replaced, since engines retain data about each transaction. */
const WORLD_STEPS = { litesvm: 50_000, bankrun: 5_000 } as const;

const NOTHING_TO_DRAW =
  'none of the commands that are allowed can be drawn: allow signIn, send or others too';

/** Creates the model of a world. */
export type MakeModel = (modelConfig: ModelConfig) => ServiceModel;

/** Draws a step of one of the commands; null when it is impossible now. */
export function drawStep(
  id: number,
  commands: readonly Command[],
  { random, runner }: { readonly random: Random; readonly runner: ModelRunner },
): Step | null {
  runner.drawingBegins();
  const drawn = random.weighed(commands).draw(random, runner);
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
  /** Steps played in it so far. */
  steps: number;
  /** The sequences played in it so far. */
  readonly sequences: (readonly Step[])[];
}

/** Plays random sequences until the runs are used up, or a callback ends it. */
export class Campaign {
  readonly #target: FuzzTarget;
  readonly #makeModel: MakeModel;
  readonly #options: CampaignOptions;
  readonly #play: PlayOptions;
  readonly #opening: readonly Step[];
  readonly #coverage = new Coverage();
  readonly #goals = new Goals();
  readonly #outcomes = new Map<string, number>();
  readonly #corpus: CorpusEntry[];
  #session: FuzzSession | null = null;
  #runs = 0;
  #steps = 0;
  #next: number;

  constructor(target: FuzzTarget, makeModel: MakeModel, options: CampaignOptions) {
    this.#target = target;
    this.#makeModel = makeModel;
    this.#options = options;
    const { commands, rules } = options;
    this.#play = {
      commands: new Map(commands.map((command) => [command.name, command])),
      rules,
      proofEvery: PROOF_EVERY,
    };
    this.#opening = opening(ModelRunner.namesOf(options.agents));
    this.#next = options.share.index;
    this.#corpus = [...options.corpus];
    this.#coverage.seed(options.corpus.flatMap(({ reached }) => reached));
    if (options.earlier !== null) this.#resume(options.earlier);
  }

  #resume(earlier: Summary): void {
    this.#runs = earlier.runs;
    this.#steps = earlier.steps;
    this.#next = earlier.next;
    this.#coverage.resume(earlier);
    this.#goals.merge(earlier.goals, earlier.approaches);
    for (const [name, count] of Object.entries(earlier.outcomes)) this.#outcomes.set(name, count);
    const known = new Set(this.#corpus.map((entry) => JSON.stringify(entry.steps)));
    this.#corpus.push(...earlier.corpus.filter(({ steps }) => !known.has(JSON.stringify(steps))));
  }

  /** Rejects with errors of the world itself. */
  async run(): Promise<CampaignResult> {
    const { goOn, onFound } = this.#options;
    try {
      for (;;) {
        const found = await search({ ...this.#options, first: this.#next }, this.#playRun, () =>
          goOn(this.#progress()),
        );
        if (found === null) break;
        const before = this.#session?.sequences.slice(0, -1) ?? [];
        // A failure may have left something in its world.
        await this.#closeSession();
        const isContinued = await onFound({ ...found, opening: this.#opening, before });
        const isOpening = found.steps.length <= this.#opening.length;
        if (!isContinued || isOpening || !(await goOn(this.#progress()))) break;
      }
      return { ...this.#progress(), corpus: this.#corpus, next: this.#next };
    } finally {
      await this.#closeSession();
    }
  }

  async #closeSession(): Promise<void> {
    await this.#session?.runner.world.close();
    this.#session = null;
  }

  readonly #playRun: PlayRun = async (run, sequence) => {
    if (this.#session !== null && this.#session.steps >= WORLD_STEPS[this.#options.world.engine])
      await this.#closeSession();
    if (this.#session === null) {
      const begun = await this.#begin();
      if ('failure' in begun) return { run, steps: this.#opening, ...begun };
      this.#session = begun;
    }
    const found = await sequence(await this.#restored(this.#session));
    this.#runs += 1;
    this.#next = run + this.#options.share.count;
    if (found === null) return null;
    const steps = [...this.#opening, ...found.steps];
    return { ...found, steps, failure: { ...found.failure, at: steps.length - 1 } };
  };

  /** Opens a world and plays the opening steps. */
  async #begin(): Promise<FuzzSession | { readonly failure: Failure }> {
    const world = await this.#target.open(this.#options.world);
    const runner = new ModelRunner(world, this.#makeModel(world.modelConfig), this.#options.agents);
    const failure = await playSequence(this.#opening, { runner, options: this.#play });
    if (failure !== null) {
      await world.close();
      return { failure };
    }
    return { runner, opened: await runner.snapshot(), steps: 0, sequences: [] };
  }

  /** The world as the opening left it. */
  async #restored(session: FuzzSession): Promise<SequenceWorld> {
    const { runner, opened } = session;
    await runner.restore(opened);
    const reached: string[] = [];
    const played: Step[] = [];
    session.sequences.push(played);
    return {
      planned: (random) => this.#planned(random),
      draw: (random, last) => {
        const id = (last?.id ?? this.#opening.length) + 1;
        return drawStep(id, this.#options.drawn, { random, runner });
      },
      play: (step, at) => {
        session.steps += 1;
        played.push(step);
        return this.#step(step, at, { runner, reached });
      },
      end: async (steps) => {
        if (steps.length === 0) throw new RangeError(NOTHING_TO_DRAW);
        const failure = await proof(steps, steps.length - 1, runner);
        if (failure === null && reached.length > 0) this.#corpus.push({ steps, reached });
        return failure;
      },
    };
  }

  /** The initial steps of a sequence: none, or a mutated corpus entry. */
  #planned(random: Random): readonly Step[] {
    if (this.#corpus.length === 0 || random.chance(50)) return [];
    return mutated(this.#corpus, random).slice(0, this.#options.steps);
  }

  async #step(
    step: Step,
    at: number,
    { runner, reached }: { runner: ModelRunner; reached: string[] },
  ): Promise<Failure | null> {
    const { by } = step;
    const accountState = by === undefined ? null : runner.accountState(by);
    runner.drawingEnds();
    const before = accountState === null ? 'nobody' : stateClass(accountState);
    const { outcome, failure } = await playStep(step, at, { runner, options: this.#play });
    this.#steps += 1;
    const name = `${step.do} ${outcome}`;
    this.#outcomes.set(name, (this.#outcomes.get(name) ?? 0) + 1);
    const discovered = this.#coverage.add(before, name, this.#steps);
    if (discovered !== null) reached.push(discovered);
    // A refusal changes no state.
    const isChanged = outcome === 'ok' || outcome === 'lost' || outcome.includes('+');
    this.#goals.note(outcome, by !== undefined && isChanged ? runner.accountState(by) : accountState);
    return failure;
  }

  #progress(): Progress {
    return {
      runs: this.#runs,
      steps: this.#steps,
      coverage: this.#coverage,
      goals: this.#goals,
      outcomes: this.#outcomes,
    };
  }
}
