import type { Command } from '../commands/command.js';
import { Random } from '../random.js';
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

/** Resolved options of a campaign. */
export interface CampaignOptions {
  readonly world: WorldOptions;
  /** Number of sequences; null for as many as the time allows. */
  readonly runs: number | null;
  /** Maximum steps per sequence. */
  readonly steps: number;
  /** 1 to 8. */
  readonly agents: number;
  readonly seed: number;
  /** Which share of the runs to play: `index` of `count`, from 0. */
  readonly share: { readonly index: number; readonly count: number };
  /** All commands that sequences may contain. */
  readonly commands: readonly Command[];
  /** The commands to draw, with their weights. */
  readonly drawn: readonly Command[];
  readonly rules: readonly Rule[];
  /** Sequences to start from. */
  readonly corpus: readonly CorpusEntry[];
  /** Called after each sequence; returns whether to continue. */
  readonly goOn: (progress: Progress) => boolean | Promise<boolean>;
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

/** A sequence that broke a rule, including its opening. */
export interface Found {
  readonly run: number;
  readonly steps: readonly Step[];
  readonly failure: Failure;
}

export interface CampaignResult extends Progress {
  readonly found: Found | null;
  /** Sequences that reached something new, without their opening. */
  readonly corpus: readonly CorpusEntry[];
}

/** Number of steps between reconciliations of books and chain. */
const PROOF_EVERY = 32;
/** Number of steps after which a world is replaced, since engines retain data about each transaction. */
const WORLD_STEPS = { litesvm: 50_000, bankrun: 5_000 } as const;

const DRAW_TRIES = 1_000;

/** Creates the model of a world. */
export type MakeModel = (modelConfig: ModelConfig) => ServiceModel;

/** A world after its opening steps, ready to play sequences. */
interface FuzzSession {
  readonly runner: ModelRunner;
  readonly opened: ModelRunnerSnapshot;
  /** Steps played in it so far. */
  steps: number;
}

/** Plays random sequences until one breaks a rule or the runs are used up. */
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
  #runs = 0;
  #steps = 0;

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
    this.#corpus = [...options.corpus];
  }

  /** Rejects with errors of the world itself. */
  async run(): Promise<CampaignResult> {
    const { runs, share, goOn, world } = this.#options;
    let ground: FuzzSession | null = null;
    let found: Found | null = null;
    try {
      const end = runs ?? Number.POSITIVE_INFINITY;
      for (let run = share.index; run < end; run += share.count) {
        if (ground !== null && ground.steps >= WORLD_STEPS[world.engine]) {
          await ground.runner.world.close();
          ground = null;
        }
        if (ground === null) {
          const begun = await this.#begin();
          if ('failure' in begun) {
            found = { run, steps: this.#opening, failure: begun.failure };
            break;
          }
          ground = begun;
        }
        found = await this.#one(run, ground);
        this.#runs += 1;
        if (found !== null || !(await goOn(this.#progress()))) break;
      }
    } finally {
      await ground?.runner.world.close();
    }
    return { ...this.#progress(), found, corpus: this.#corpus };
  }

  /** Opens a world and plays the opening steps. */
  async #begin(): Promise<FuzzSession | { readonly failure: Failure }> {
    const world = await this.#target.open(this.#options.world);
    const runner = new ModelRunner(world, this.#makeModel(world.modelConfig), this.#options.agents);
    const failure = await playSequence(this.#opening, { runner, options: this.#play });
    if (failure !== null) {
      await world.close();
      return { failure };
    }
    return { runner, opened: await runner.snapshot(), steps: 0 };
  }

  async #one(run: number, ground: FuzzSession): Promise<Found | null> {
    const { runner, opened } = ground;
    const random = new Random(Math.imul(this.#options.seed + 1, 0x9e3779b1) + run);
    await runner.restore(opened);
    const steps: Step[] = [...this.#planned(random)];
    const most = this.#options.steps;
    const wanted = Math.max(Math.ceil(most / 4), 1 + random.below(most));
    const reached: string[] = [];
    let failure: Failure | null = null;
    for (let at = 0; at < Math.max(wanted, steps.length) && failure === null; at += 1) {
      runner.drawingBegins();
      const step = steps[at] ?? this.#draw(random, { runner, last: steps.at(-1) });
      steps[at] = step;
      failure = await this.#step(step, at, { runner, reached });
    }
    ground.steps += steps.length;
    failure ??= await proof(steps, steps.length - 1, runner);
    if (failure !== null) {
      const played = [...this.#opening, ...steps.slice(0, failure.at + 1)];
      return { run, steps: played, failure: { ...failure, at: played.length - 1 } };
    }
    if (reached.length > 0) this.#corpus.push({ steps, reached });
    return null;
  }

  /** The initial steps of a sequence: none, or a mutated corpus entry. */
  #planned(random: Random): readonly Step[] {
    if (this.#corpus.length === 0 || random.chance(50)) return [];
    return mutated(this.#corpus, random).slice(0, this.#options.steps);
  }

  #draw(random: Random, { runner, last }: { runner: ModelRunner; last: Step | undefined }): Step {
    const id = (last?.id ?? this.#opening.length) + 1;
    for (let tries = 0; tries < DRAW_TRIES; tries += 1) {
      const command = random.weighed(this.#options.drawn);
      const drawn = command.draw(random, runner);
      if (drawn === null) continue;
      // An expired token can do little, so it is used only occasionally.
      const { by } = drawn;
      const isOver = by !== undefined && !runner.isSignedIn(by) && drawn.with['auth'] === undefined;
      if (isOver && random.chance(85)) return { id, do: 'signIn', by, with: {} };
      return { id, ...drawn };
    }
    throw new RangeError(
      'none of the commands that are allowed can be drawn: allow signIn, send or others too',
    );
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
