import fc from 'fast-check';
import type { Command } from '../commands/command.js';
import { type Draw, UNCONFIGURED } from '../draw.js';
import { type CheckSuite, ReplayHarness } from '../play/replay.js';
import { type Failure, type Sequence, sequences } from '../play/sequences.js';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import { type CampaignValue, type Range, limitsNumber } from './campaign-value.js';
import { type CorpusEntry, beginningOf } from './corpus.js';
import { drawnLimits } from './drawn-limits.js';
import { Finds } from './summary.js';
import { commandsFor, propertyOf } from './properties.js';
import { type Reached, Tally } from './tally.js';

/** A failing sequence with its opening, and the history of its world. */
export interface CampaignFind {
  readonly run: number;
  readonly steps: readonly Step[];
  readonly failure: Failure;
  /** Sequences that were played in the same world and reverted, without the opening. */
  readonly before: readonly (readonly Step[])[];
  /** Its world if it differs from the campaign's. */
  readonly world?: WorldOptions;
}

export interface RangeOrder extends Range {
  /** Ends after this number of findings. */
  readonly maxFinds: number;
}

/** The result of a range, as plain JSON. */
export interface RangeResult extends Reached {
  readonly next: number;
  readonly finds: readonly CampaignFind[];
  readonly repeats: number;
  /** Sequences that reached new coverage, if the campaign keeps them. */
  readonly corpus: readonly CorpusEntry[];
  /** Whether the opening fails, so that no run can succeed. */
  readonly isOver: boolean;
}

/** Number of steps after which a world is replaced, since engines retain data about each transaction. */
const WORLD_STEPS = { litesvm: 50_000, bankrun: 5_000 } as const;

/** What a range has reached so far, and its findings. */
export class RangeTally extends Tally {
  readonly finds: CampaignFind[] = [];
  readonly corpus: CorpusEntry[] = [];
  readonly #wanted: Finds;
  next: number;
  isOver = false;

  constructor(first: number, ignored: readonly string[]) {
    super();
    this.next = first;
    this.#wanted = new Finds({ ignored, known: [], earlier: null });
  }

  /** Adds a failure. Of a kind that recurs constantly, only the first ones are kept. */
  add(find: CampaignFind): void {
    if (this.#wanted.isWanted(find.failure)) this.finds.push(find);
  }

  result(): RangeResult {
    const { next, finds, corpus, isOver } = this;
    return { next, ...this.reached(), finds, repeats: this.#wanted.repeats, corpus, isOver };
  }
}

/** Called after each sequence; returns whether to continue. */
export type AfterSequence = (tally: RangeTally) => boolean | Promise<boolean>;

export class RangePlayer {
  readonly #target: FuzzTarget;
  readonly #campaign: CampaignValue;
  readonly #checkSuite: CheckSuite;
  readonly #commands: fc.Arbitrary<readonly Command[]>;
  readonly #begun: ReadonlySet<string>;
  #harness: ReplayHarness | null = null;
  /** Sequences played in the world without a failure, and the number of their steps. */
  #sequences: (readonly Step[])[] = [];
  #steps = 0;
  #world: WorldOptions;

  /** Throws InvalidCampaign when the choice of commands leaves none. */
  constructor(target: FuzzTarget, campaign: CampaignValue, checkSuite: CheckSuite) {
    this.#target = target;
    this.#campaign = campaign;
    this.#world = campaign.world;
    this.#checkSuite = checkSuite;
    this.#commands = commandsFor(checkSuite.commands, propertyOf(campaign.property), campaign);
    this.#begun = new Set(campaign.corpus.flatMap(({ reached }) => reached));
  }

  /**
   * Plays a range. Reuses the last range's world if it is still valid, since opening a world takes as long as fifty steps. A failure in a
   * reused world may result from its history: if the range also fails in a fresh world, that result is returned. Rejects with errors of the
   * world itself.
   */
  async play(order: RangeOrder, afterSequence: AfterSequence): Promise<RangeResult> {
    await this.#enter(order.first);
    const wasUsed = this.#harness !== null;
    const result = await this.#played(order, afterSequence);
    if (!wasUsed || (result.finds.length === 0 && result.repeats === 0)) return result;
    await this.close();
    const again = await this.#played({ ...order, end: result.next }, afterSequence);
    return again.finds.length === 0 && again.repeats === 0 ? result : again;
  }

  async close(): Promise<void> {
    await this.#harness?.close();
    this.#harness = null;
    this.#sequences = [];
    this.#steps = 0;
  }

  /** Closes the last range's world if this range has other limits. */
  async #enter(first: number): Promise<void> {
    const { world, seed, variesLimits } = this.#campaign;
    if (variesLimits !== true) return;
    await this.close();
    this.#world = { ...world, limits: drawnLimits({ seed, number: limitsNumber(first) }, world.limits) };
  }

  /** Each run is fast-check's run of this number: it depends on the seed and the number only. */
  async #played({ first, end, maxFinds }: RangeOrder, afterSequence: AfterSequence): Promise<RangeResult> {
    const { seed, ignored, variesLimits } = this.#campaign;
    const tally = new RangeTally(first, ignored);
    const runs = { ...UNCONFIGURED, seed, path: String(first), numRuns: end - first };
    for (const sequence of fc.sample(sequences, runs)) {
      await this.#run(sequence, tally);
      if (sequence.failure !== null) {
        const { steps, failure } = sequence;
        const run = tally.isOver ? tally.next : tally.next - 1;
        const world = variesLimits === true ? { world: this.#world } : {};
        tally.add({ run, steps, failure, before: this.#sequences, ...world });
        // A failure may have left state in its world.
        await this.close();
        if (tally.isOver || tally.finds.length >= maxFinds) break;
      }
      if (!(await afterSequence(tally))) break;
    }
    return tally.result();
  }

  async #run(sequence: Sequence, tally: RangeTally): Promise<void> {
    const { agents, keepsSequences } = this.#campaign;
    if (this.#steps >= WORLD_STEPS[this.#campaign.world.engine]) await this.close();
    const checkSuite = this.#checkSuite;
    this.#harness ??= await ReplayHarness.open(this.#target, this.#world, { agents, checkSuite });
    const { runner } = this.#harness;
    const reached: string[] = [];
    const steps = await this.#harness.draw(sequence, {
      commands: this.#commands,
      steps: this.#campaign.steps,
      planned: (draw) => this.#planned(draw),
      onStep: (step, before, outcome) => {
        this.#steps += 1;
        // A refusal changes no state.
        const isChanged = outcome === 'ok' || outcome === 'lost' || outcome.includes('+');
        const after = step.by !== undefined && isChanged ? runner.accountState(step.by) : before;
        const discovered = tally.note(step.do, outcome, { before, after });
        // Coverage of the corpus is not new.
        if (discovered !== null && !this.#begun.has(discovered)) reached.push(discovered);
      },
    });
    if (steps === null) {
      tally.isOver = true;
      return;
    }
    tally.runs += 1;
    tally.next += 1;
    const held = sequence.failure === null ? steps : steps.slice(0, -1);
    if (sequence.failure === null) this.#sequences.push(steps);
    // Coverage that an earlier run reached is not new, whichever range played it.
    if (keepsSequences && reached.length > 0) tally.corpus.push({ steps: held, reached });
  }

  /** The initial steps of a sequence: none, or the first steps of a corpus entry. */
  #planned(draw: Draw): readonly Step[] {
    const { corpus, steps } = this.#campaign;
    if (corpus.length === 0 || draw(fc.boolean())) return [];
    return beginningOf(corpus, draw).slice(0, steps);
  }
}
