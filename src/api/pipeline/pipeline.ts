import type { RequestContext } from '../../core/domain/request-context.js';
import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import {
  type FaultEffect,
  type Faults,
  type IncomingCall,
  applyFaults,
} from '../../runtime/faults/fault-rules.js';
import type { Scheduler } from '../../runtime/scheduler.js';
import type { PendingRequest, RequestRecord } from './pending-request.js';
import type { RecorderSlot } from './recorder-port.js';

/** The dependencies that the requests of all interfaces of a world share. */
export interface PipelineOptions {
  readonly scheduler: Pick<Scheduler, 'runShared' | 'runWithoutCatchUp' | 'earn' | 'sleep' | 'rollbackCount'>;
  readonly faults: Faults;
  readonly recorder: RecorderSlot;
  /** Whether responses are logged. They are then serialized even when the caller takes objects. */
  readonly keepsAnswers: boolean;
  /** Resolves once everything that has happened is durable; null when it already is. Rejects with StorageUnavailable after a rollback. */
  readonly whenDurable: () => Promise<void> | null;
  /** Keeps a snapshot of the world before a request that may write. Called with the world's lock held. */
  readonly remember: (record: RequestRecord) => void;
  readonly onAnswer: (record: RequestRecord) => void;
  /** Called with exceptions and the request or method that raised them: each is a bug. */
  readonly onBug: (error: unknown, where: string) => void;
}

export interface RequestWork<R> {
  /** Whether it only reads. No snapshot is then kept before it, and it is repeated when it has read changes that were rolled back. */
  readonly isRead: boolean;
  /** Set when it takes the world's lock itself, or needs none. Otherwise it runs with the lock shared. */
  readonly takesLock?: boolean;
  /** With `takesLock`: its response is not sent if the world is rolled back after its arrival. */
  readonly countsRollbacks?: boolean;
  /** Identifies the call to fault rules; absent when no rules apply. */
  readonly target?: () => IncomingCall;
  /** With a wait before it, the number of rollbacks when it arrived: a write is refused if the world was rolled back during the wait. */
  readonly rollbacks?: number | undefined;
  /**
   * Set when it may read the yield of savings. After very many changes of a rate, the yield is computed beforehand, while other requests
   * run.
   */
  readonly needsSavings?: boolean;
  readonly run: (cause: RequestContext) => R | Promise<R>;
}

/** An interface's part of a request. `render` and `fail` return the response, and fill in its logged members. */
export interface RequestStages<R, A> {
  /** Admits and parses a request; throws when it is refused. It does not read the world, so its refusal is sent at once. */
  readonly enter: () => RequestWork<R> | Promise<RequestWork<R>>;
  /** Renders the result, or a fault's replacement for it. The result is null when the work was not carried out. */
  readonly render: (result: R | null, instead: FaultEffect | null) => A;
  /** Renders an exception, including an exception of `render`. */
  readonly fail: (error: unknown) => A;
}

interface Progress {
  /** Number of rollbacks when it began; undefined before that, and for work that rollbacks do not affect. */
  rollbackCount: number | undefined;
  /** A fault's replacement for the response; null for none. */
  instead: FaultEffect | null;
}

/** Thrown in place of a response that is never sent: the connection ends instead. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

const ROLLED_BACK = 'the world was rolled back or reverted during the call';

/** The most retries of a read that has seen changes which were rolled back. */
const READ_TRIES = 8;

/**
 * Takes a request of any interface from arrival to response: number, record, entry, faults, work, durability, response, event. A table in
 * CONTRIBUTING.md describes each stage for each interface.
 */
export class RequestPipeline {
  readonly #options: PipelineOptions;
  readonly #counts = { req: 0, rpc: 0, ctl: 0, fac: 0 };

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /** How often the world was put back; for `RequestWork.rollbacks`. */
  get rollbackCount(): number {
    return this.#options.scheduler.rollbackCount;
  }

  get recorder(): RecorderSlot {
    return this.#options.recorder;
  }

  get keepsAnswers(): boolean {
    return this.#options.keepsAnswers;
  }

  /** The id of the next request: of the API, the RPC, the control interface or the facilitator. */
  newRequestId(kind: 'req' | 'rpc' | 'ctl' | 'fac'): string {
    this.#counts[kind] += 1;
    return `${kind}_${this.#counts[kind].toString().padStart(8, '0')}`;
  }

  /** Responds to a request. Rejects only with errors of `fail`; nothing is logged then. */
  async answer<R, A>(pending: PendingRequest<A>, { enter, render, fail }: RequestStages<R, A>): Promise<A> {
    let answer: A;
    try {
      const entered = enter();
      const work = entered instanceof Promise ? await entered : entered;
      const progress: Progress = { rollbackCount: undefined, instead: null };
      const result = await this.#durable(pending, work, progress);
      answer = render(result, progress.instead);
    } catch (error) {
      answer = fail(error);
    }
    pending.trace?.answered(answer, pending.record.wallet);
    this.log(pending);
    return answer;
  }

  /**
   * Resolves before a response may be sent; null when there is nothing to wait for. Rejects with StorageUnavailable when its effects were
   * rolled back, or when the world was rolled back since `rollbackCount`.
   */
  whenDurable(rollbackCount?: number): Promise<void> | null {
    const { scheduler, whenDurable } = this.#options;
    return rollbackCount === undefined || rollbackCount === scheduler.rollbackCount
      ? whenDurable()
      : Promise.reject(new StorageUnavailable(ROLLED_BACK));
  }

  log({ record, startedMs }: PendingRequest): void {
    record.ms = performance.now() - startedMs;
    this.#options.onAnswer(record);
  }

  bug(error: unknown, where: string): void {
    this.#options.onBug(error, where);
  }

  /**
   * The result of a request's work once its effects are durable; a refusal also waits, since it may reveal the effects of another call. A
   * read that has seen changes which were rolled back is repeated, without faults. Throws the work's errors, and StorageUnavailable.
   */
  async #durable<R>(pending: PendingRequest, work: RequestWork<R>, progress: Progress): Promise<R | null> {
    for (let tries = 0; ; tries += 1) {
      let outcome: { readonly result: R | null } | { readonly error: unknown };
      try {
        outcome = { result: await this.#attempt(pending, work, progress, tries === 0) };
      } catch (error) {
        outcome = { error };
      }
      try {
        const written = this.whenDurable(progress.rollbackCount);
        if (written !== null) await written;
      } catch (error) {
        if (!work.isRead || tries === READ_TRIES || !(error instanceof StorageUnavailable)) throw error;
        continue;
      }
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    }
  }

  /** Runs the work of a request; on the first attempt with the faults that match it. Null when a fault has replaced the response. */
  async #attempt<R>(
    { record, trace }: PendingRequest,
    { isRead, takesLock, countsRollbacks, rollbacks, target, needsSavings, run }: RequestWork<R>,
    progress: Progress,
    isFirst: boolean,
  ): Promise<R | null> {
    const { scheduler, faults, remember } = this.#options;
    const { requestId } = record;
    if (takesLock === true) {
      if (countsRollbacks === true) progress.rollbackCount = scheduler.rollbackCount;
      if (!isRead) await scheduler.runWithoutCatchUp(() => remember(record));
      return run({ requestId, trouble: null });
    }
    let expectedCount = rollbacks;
    const beforeWrite = () => {
      expectedCount ??= scheduler.rollbackCount;
      if (expectedCount !== scheduler.rollbackCount) throw new StorageUnavailable(ROLLED_BACK);
      remember(record);
    };
    // Its response is not sent if the world is rolled back from then on.
    const inWorld = (trouble: RequestContext['trouble']) => () => {
      if (!isRead) beforeWrite();
      progress.rollbackCount = scheduler.rollbackCount;
      return run({ requestId, trouble });
    };
    if (!isFirst) {
      if (progress.instead === null) return scheduler.runWithoutCatchUp(inWorld(null));
      progress.rollbackCount = scheduler.rollbackCount;
      return null;
    }
    const earning = needsSavings === true ? scheduler.earn() : null;
    if (earning !== null) await earning;
    if (target === undefined || faults.isEmpty) return scheduler.runShared(inWorld(null));
    const drawn = await scheduler.runShared(() => {
      if (!isRead) beforeWrite();
      const met = faults.meet(target());
      trace?.arrived(met?.before.some(({ kind }) => kind === 'delay') ?? false);
      return met;
    });
    if (drawn === null) return scheduler.runShared(inWorld(null));
    record.faults = drawn.reports;
    const sleep = (ms: number) => scheduler.sleep(ms);
    let result: R;
    try {
      progress.instead = await applyFaults(drawn.before, sleep);
      if (progress.instead !== null) return null;
      result = await scheduler.runShared(async () => {
        const worked = await inWorld(drawn.trouble)();
        drawn.executed();
        return worked;
      });
    } finally {
      faults.ended(drawn);
    }
    progress.instead = await applyFaults(drawn.after, sleep);
    return result;
  }
}
