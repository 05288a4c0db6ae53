import type { FailureFile } from '../failure/failure-file.js';
import type { Failure } from '../play/sequences.js';
import { type Job, type JobOutcome, type JobRunner, thrown } from '../../jobs/job-runner.js';
import { RANGE, type RangeJob, SHRINK, type ShrinkJob } from './campaign-jobs.js';
import { CampaignState } from './campaign-state.js';
import { type CampaignValue, type Range, rangeFrom } from './campaign-value.js';
import type { Beginnings, Crashed, Summary } from './summary.js';
import type { CampaignFind, RangeResult } from './range-player.js';

/** What a campaign needs in addition to its value. */
export interface CampaignRun extends Beginnings {
  /** Unique among the runner's campaigns. */
  readonly key: string;
  readonly runner: JobRunner;
  /** Ends after this number of counterexamples; Infinity for no limit. */
  readonly maxFinds: number;
  /** Real milliseconds since an arbitrary origin. */
  readonly now: () => number;
  /** Whether to stop, on request or because time is up: no further ranges are assigned. */
  readonly isOver: () => boolean;
  /** Called with the state once it is ready, and after each merged range. */
  readonly onState: (state: CampaignState) => void | Promise<void>;
  /** Called when a failure is found, before it is shrunk. */
  readonly onFound: (failure: Failure) => void;
  /** Called with each new counterexample, in order. */
  readonly onKept: (file: FailureFile) => void | Promise<void>;
}

/** Ranges are merged as they end, and are played again if their results are gone. */
const KEPT_SECONDS = 3_600;

/** Distributes the runs of a campaign in ranges, and merges the results in order. */
class Conductor {
  readonly #campaign: CampaignValue;
  readonly #run: CampaignRun;
  readonly #state: CampaignState;
  /** In order; the first is merged next. */
  readonly #handed: { readonly range: Range; readonly outcome: Promise<JobOutcome> }[] = [];
  /** The first run that is not assigned yet. */
  #next: number;
  /** Number of assigned ranges that are not done. */
  #playing = 0;
  /** Resolves when all findings are shrunk, in order. */
  #shrunk: Promise<void> = Promise.resolve();

  constructor(campaign: CampaignValue, run: CampaignRun) {
    this.#campaign = campaign;
    this.#run = run;
    this.#state = new CampaignState(campaign, run);
    this.#next = this.#state.next;
  }

  async run(): Promise<Summary> {
    const { now, earlier, runner, key, onState } = this.#run;
    const begunMs = now();
    await runner.share(key, this.#campaign);
    await onState(this.#state);
    for (;;) {
      this.#handOut();
      const next = this.#handed.shift();
      if (next === undefined || !(await this.#take(next.range, await next.outcome))) break;
      await onState(this.#state);
    }
    await this.#shrunk;
    return this.#state.summary((now() - begunMs) / 1_000 + (earlier?.seconds ?? 0));
  }

  #handOut(): void {
    const { runner, isOver } = this.#run;
    const end = this.#campaign.end ?? Number.POSITIVE_INFINITY;
    while (this.#next < end && this.#playing < runner.window && !this.#isFull && !isOver()) {
      const range = rangeFrom(this.#next, this.#campaign);
      this.#next = range.end;
      this.#handed.push({ range, outcome: this.#counted(range) });
    }
  }

  /**
   * Plays a range. If it ends before earlier ranges, assigns further ones meanwhile: the range to merge next may take as long as a lease if
   * its worker was killed.
   */
  #counted(range: Range): Promise<JobOutcome> {
    this.#playing += 1;
    const outcome = this.#play(range, this.#run.maxFinds).finally(() => {
      this.#playing -= 1;
      if (this.#handed.length > 0) this.#handOut();
    });
    // Thrown when the range is merged.
    outcome.catch(() => undefined);
    return outcome;
  }

  #play({ first, end }: Range, maxFinds: number): Promise<JobOutcome> {
    const { key, runner } = this.#run;
    const limit = Number.isFinite(maxFinds) ? maxFinds : null;
    const data: RangeJob = { campaign: key, first, end, maxFinds: limit };
    const id = [key, 'range', first, end, limit ?? 'all'].join('-');
    return runner.run({ id, name: RANGE, data, keptSeconds: KEPT_SECONDS });
  }

  get #isFull(): boolean {
    return this.#state.finds.files.length >= this.#run.maxFinds;
  }

  /** Merges the next range; returns whether the campaign continues. */
  async #take(range: Range, outcome: JobOutcome): Promise<boolean> {
    if (outcome.kind === 'withdrawn') return false;
    if (outcome.kind === 'failed') throw thrown(outcome.error);
    if (outcome.kind === 'crashed') {
      this.#crashed('playing', range, outcome.reason);
      this.#state.next = range.end;
      return true;
    }
    const result = await this.#resultWithFinds(range, outcome.result as RangeResult);
    if (result === null) return false;
    this.#state.merge(result);
    return !result.isOver && !this.#isFull && result.next === range.end;
  }

  /**
   * Shrinks the findings of a range. If a range ended at the maximum number of findings and some turn out to be equal, it is played again,
   * and further. Null when the campaign is stopped meanwhile.
   */
  async #resultWithFinds(range: Range, first: RangeResult): Promise<RangeResult | null> {
    const { maxFinds } = this.#run;
    let result = first;
    for (let done = 0; ;) {
      for (const find of result.finds.slice(done)) this.#found(find);
      if (!Number.isFinite(maxFinds)) return result;
      await this.#shrunk;
      const isCut = result.finds.length > done && result.next < range.end;
      done = result.finds.length;
      if (!isCut || this.#isFull || this.#run.isOver()) return result;
      const again = await this.#play(range, done + maxFinds - this.#state.finds.files.length);
      if (again.kind === 'failed') throw thrown(again.error);
      if (again.kind !== 'done') return null;
      result = again.result as RangeResult;
    }
  }

  #found(find: CampaignFind): void {
    const { key, runner, onFound, onKept } = this.#run;
    const { finds } = this.#state;
    if (!finds.isWanted(find.failure)) return;
    onFound(find.failure);
    const data: ShrinkJob = { campaign: key, find };
    const job: Job = { id: [key, 'shrink', find.run].join('-'), name: SHRINK, data, isUrgent: true };
    const outcome = runner.run({ ...job, keptSeconds: KEPT_SECONDS });
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
 * Runs a campaign. While it runs, failures are shrunk and replayed, and their numbers are rounded. Rejects with errors of the world itself.
 */
export function runCampaign(campaign: CampaignValue, run: CampaignRun): Promise<Summary> {
  return new Conductor(campaign, run).run();
}
