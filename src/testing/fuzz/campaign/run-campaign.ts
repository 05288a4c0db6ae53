import type { FailureFile } from '../failure/failure-file.js';
import type { Failure } from '../play/sequence.js';
import { type Job, type JobOutcome, type JobRunner, thrown } from '../../jobs/job-runner.js';
import { CHUNK, type ChunkJob, SHRINK, type ShrinkJob, corpusKey } from './campaign-jobs.js';
import { type Beginnings, CampaignState } from './campaign-state.js';
import { type CampaignValue, Chunks } from './campaign-value.js';
import type { CampaignFind, ChunkResult } from './chunk-player.js';
import { type CorpusEntry, sent } from './corpus.js';
import { NumberedTriples } from './coverage.js';
import type { Crashed, Summary } from './summary.js';

/** What a campaign needs besides its value. */
export interface CampaignRun extends Beginnings {
  /** Unique among the campaigns of the runner. */
  readonly key: string;
  readonly runner: JobRunner;
  /** Ends after so many counterexamples; Infinity for no limit. */
  readonly maxFinds: number;
  /** Real milliseconds since an arbitrary origin. */
  readonly now: () => number;
  /** Whether it was stopped, or its time is over: it then hands out no more chunks. */
  readonly isOver: () => boolean;
  /** Called with the state when it is ready, and when it has taken a chunk. */
  readonly onState: (state: CampaignState) => void | Promise<void>;
  /** Called when a failure is found, before it is shrunk. */
  readonly onFound: (failure: Failure) => void;
  /** Called with each new counterexample, in their order. */
  readonly onKept: (file: FailureFile) => void | Promise<void>;
}

/** Shares out the chunks of a campaign, and merges their results in their order. */
class Conductor {
  readonly #campaign: CampaignValue;
  readonly #run: CampaignRun;
  readonly #chunks: Chunks;
  readonly #state: CampaignState;
  readonly #outcomes = new Map<number, Promise<JobOutcome>>();
  /** The next chunk to hand out, and the next to merge. */
  #handed: number;
  #merged: number;
  /** Number of chunks that are handed out and not done. */
  #playing = 0;
  /** Number of generations whose sequences are shared. */
  #generations = -1;
  #discovered: CorpusEntry[] = [];
  /** Those that the generations reach. */
  readonly #triples = new NumberedTriples();
  /** Resolves when all findings are shrunk, in their order. */
  #shrunk: Promise<void> = Promise.resolve();

  constructor(campaign: CampaignValue, run: CampaignRun) {
    this.#campaign = campaign;
    this.#run = run;
    this.#chunks = new Chunks(campaign);
    this.#state = new CampaignState(campaign, run);
    this.#handed = this.#chunks.of(this.#state.next);
    this.#merged = this.#handed;
  }

  async run(): Promise<Summary> {
    const { now, earlier, runner, key, onState } = this.#run;
    const begunMs = now();
    await runner.share(key, this.#campaign);
    await this.#shareBeginnings();
    await onState(this.#state);
    for (;;) {
      this.#handOut();
      const outcome = this.#outcomes.get(this.#merged);
      if (outcome === undefined || !(await this.#take(await outcome))) break;
      await onState(this.#state);
    }
    await this.#shrunk;
    return this.#state.summary((now() - begunMs) / 1_000 + (earlier?.seconds ?? 0));
  }

  /** Shares the corpus as it was when the campaign ended that this one goes on with. */
  async #shareBeginnings(): Promise<void> {
    await this.#shareGeneration(this.#state.beginnings);
    for (const entry of this.#state.discovered) {
      await this.#shareUntil(this.#chunks.of(entry.run));
      this.#discovered.push(entry);
    }
    await this.#shareUntil(this.#merged);
  }

  async #shareGeneration(entries: readonly CorpusEntry[]): Promise<void> {
    this.#generations += 1;
    for (const { reached } of entries) this.#triples.add(reached);
    await this.#run.runner.share(corpusKey(this.#run.key, this.#generations), entries.map(sent));
  }

  /** Shares what was found by the generations before that of a chunk. */
  async #shareUntil(chunk: number): Promise<void> {
    while (this.#generations < this.#chunks.generationOf(chunk)) {
      await this.#shareGeneration(this.#discovered);
      this.#discovered = [];
    }
  }

  /** Hands out chunks whose corpus is known. */
  #handOut(): void {
    const { runner, isOver } = this.#run;
    while (
      this.#handed < this.#chunks.count &&
      this.#playing < runner.window &&
      this.#chunks.corpusOf(this.#handed) <= this.#generations &&
      !this.#isFull &&
      !isOver()
    ) {
      this.#outcomes.set(this.#handed, this.#counted(this.#handed));
      this.#handed += 1;
    }
  }

  /** Plays a chunk, and makes up for it when it ends before its turn: the next to merge may take as long as a lease, if its worker was killed. */
  #counted(chunk: number): Promise<JobOutcome> {
    this.#playing += 1;
    const outcome = this.#play(chunk, this.#run.maxFinds).finally(() => {
      this.#playing -= 1;
      if (chunk !== this.#merged) this.#handOut();
    });
    // Thrown where the chunk is merged.
    outcome.catch(() => undefined);
    return outcome;
  }

  #play(chunk: number, maxFinds: number): Promise<JobOutcome> {
    const { key, runner } = this.#run;
    const first =
      chunk === this.#merged
        ? Math.max(this.#state.next, this.#chunks.at(chunk).first)
        : this.#chunks.at(chunk).first;
    const limit = Number.isFinite(maxFinds) ? maxFinds : null;
    const data: ChunkJob = { campaign: key, chunk, first, maxFinds: limit };
    return runner.run({ id: [key, 'chunk', chunk, first, limit ?? 'all'].join('-'), name: CHUNK, data });
  }

  get #isFull(): boolean {
    return this.#state.finds.files.length >= this.#run.maxFinds;
  }

  /** Merges the next chunk; returns whether the campaign goes on. */
  async #take(outcome: JobOutcome): Promise<boolean> {
    const chunk = this.#chunks.at(this.#merged);
    this.#outcomes.delete(chunk.number);
    if (outcome.kind === 'withdrawn') return false;
    if (outcome.kind === 'failed') throw thrown(outcome.error);
    if (outcome.kind === 'crashed') {
      this.#crashed('playing', chunk, outcome.reason);
      this.#state.next = chunk.end;
    } else {
      const result = await this.#resultWithFinds(outcome.result as ChunkResult);
      if (result === null) return false;
      this.#discovered.push(...this.#state.merge(result, this.#triples.keys));
      if (result.isOver || this.#isFull || result.next < chunk.end) return false;
    }
    this.#merged += 1;
    await this.#shareUntil(this.#merged);
    return true;
  }

  /**
   * Has the findings of a chunk shrunk. A chunk that has ended with as many findings as are wanted is played again and further when some of
   * them turn out to be the same. Null when the campaign is stopped meanwhile.
   */
  async #resultWithFinds(first: ChunkResult): Promise<ChunkResult | null> {
    const { maxFinds } = this.#run;
    let result = first;
    for (let done = 0; ;) {
      for (const find of result.finds.slice(done)) this.#found(find);
      if (!Number.isFinite(maxFinds)) return result;
      await this.#shrunk;
      const isCut = result.finds.length > done && result.next < this.#chunks.at(this.#merged).end;
      done = result.finds.length;
      if (!isCut || this.#isFull || this.#run.isOver()) return result;
      const wanted = done + maxFinds - this.#state.finds.files.length;
      const again = await this.#play(this.#merged, wanted);
      if (again.kind === 'failed') throw thrown(again.error);
      if (again.kind !== 'done') return null;
      result = again.result as ChunkResult;
    }
  }

  #found(find: CampaignFind): void {
    const { key, runner, onFound, onKept } = this.#run;
    const { finds } = this.#state;
    if (!finds.isWanted(find.failure)) return;
    onFound(find.failure);
    const data: ShrinkJob = { campaign: key, find };
    const job: Job = { id: [key, 'shrink', find.run].join('-'), name: SHRINK, data, isUrgent: true };
    const outcome = runner.run(job);
    this.#state.shrinking += 1;
    const before = this.#shrunk;
    this.#shrunk = (async () => {
      await before;
      const ended = await outcome;
      if (ended.kind === 'failed') throw thrown(ended.error);
      if (ended.kind === 'crashed')
        this.#crashed('shrinking', { first: find.run, end: find.run + 1 }, ended.reason);
      this.#state.shrinking -= 1;
      if (ended.kind !== 'done') return;
      const file = ended.result as FailureFile;
      if (finds.add(file)) await onKept(file);
    })();
    // Reported when it is awaited.
    this.#shrunk.catch(() => undefined);
  }

  #crashed(what: Crashed['what'], { first, end }: { first: number; end: number }, reason: string): void {
    const { property, seed } = this.#campaign;
    this.#state.crashed.push({ what, property, seed, first, end, reason });
  }
}

/**
 * Runs a campaign. Failures are shrunk, their numbers are rounded, and they are replayed, while the campaign goes on. Rejects with errors of
 * the world itself.
 */
export function runCampaign(campaign: CampaignValue, run: CampaignRun): Promise<Summary> {
  return new Conductor(campaign, run).run();
}
