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

/** What the requests of all interfaces of a world share. */
export interface PipelineOptions {
  readonly scheduler: Pick<Scheduler, 'runShared' | 'runWithoutCatchUp' | 'earn' | 'sleep' | 'rollbackCount'>;
  readonly faults: Faults;
  readonly recorder: RecorderSlot;
  /** Whether answers are logged, for which they are serialized also where the caller takes them as they are. */
  readonly keepsAnswers: boolean;
  /**
   * Resolves once everything that has happened is durable; null when it is. Rejects with StorageUnavailable when it was rolled back.
   */
  readonly whenDurable: () => Promise<void> | null;
  /** Remembers the world before a request that may write. Called in the world. */
  readonly remember: (record: RequestRecord) => void;
  readonly onAnswer: (record: RequestRecord) => void;
  /** Called with exceptions and the request or method that raised them: each is a bug. */
  readonly onBug: (error: unknown, where: string) => void;
}

/** What is to be carried out for a request. */
export interface RequestWork<R> {
  /** Whether it only reads: then the world before it is not remembered, and it is repeated when it has seen what was rolled back. */
  readonly isRead: boolean;
  /** It takes the world's lock itself, or needs none; else it runs in the world, together with other work. */
  readonly takesLock?: boolean;
  /** With `takesLock`: its response is not sent if the world is rolled back after its arrival. */
  readonly countsRollbacks?: boolean;
  /** Identifies the call to fault rules; missing where none apply. */
  readonly target?: () => IncomingCall | Promise<IncomingCall>;
  /** It may ask what savings have earned. After very many changes of a rate that is computed before, while other requests go on. */
  readonly needsSavings?: boolean;
  readonly run: (cause: RequestContext) => R | Promise<R>;
}

/** An interface's part of a request. `render` and `fail` return the response, and fill in what is logged of it. */
export interface RequestStages<R, A> {
  /**
   * Admits and parses a request; throws for one that is refused. It looks at nothing of the world, so its refusal waits for nothing.
   */
  readonly enter: () => RequestWork<R> | Promise<RequestWork<R>>;
  /** Renders the result; or what a fault sends instead, whatever the result is. Null when the work was not carried out. */
  readonly render: (result: R | null, instead: FaultEffect | null) => A;
  /** Renders an exception, also one of `render`. */
  readonly fail: (error: unknown) => A;
}

/** How far the work of a request has come. */
interface Progress {
  /** Number of rollbacks when it began; undefined before, and for work to which rollbacks do not matter. */
  rollbackCount: number | undefined;
  /** A fault's replacement for the response; null for none. */
  instead: FaultEffect | null;
}

/** Thrown in place of a response that is never sent: the connection ends instead. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

/** How often a read is retried that has seen changes which were rolled back. */
const READ_TRIES = 8;

/**
 * The way of a request from its arrival to its response, for all interfaces of a world: number, record, entry, faults, work,
 * durability, response, event. CONTRIBUTING.md has a table of what each interface does at each stage.
 */
export class RequestPipeline {
  readonly #options: PipelineOptions;
  readonly #counts = { req: 0, rpc: 0, ctl: 0, fac: 0 };

  constructor(options: PipelineOptions) {
    this.#options = options;
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

  /** Answers a request. Rejects only with what `fail` throws; nothing is logged then. */
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
   * Resolves before a response may be sent; null when there is nothing to wait for. Rejects with StorageUnavailable when its effects
   * were rolled back, which is also the case when the world was rolled back since `rollbackCount`.
   */
  whenDurable(rollbackCount?: number): Promise<void> | null {
    const { scheduler, whenDurable } = this.#options;
    return rollbackCount === undefined || rollbackCount === scheduler.rollbackCount
      ? whenDurable()
      : Promise.reject(new StorageUnavailable('the disk did not take what was done before'));
  }

  log({ record, startedMs }: PendingRequest): void {
    record.ms = performance.now() - startedMs;
    this.#options.onAnswer(record);
  }

  bug(error: unknown, where: string): void {
    this.#options.onBug(error, where);
  }

  /**
   * The result of a request's work once its effects are durable; a refusal waits too, since it may reveal what another call has done.
   * A read that has seen changes which were rolled back is repeated, on the world as it is and without faults. Throws what the work
   * throws, and StorageUnavailable.
   */
  async #durable<R>(pending: PendingRequest, work: RequestWork<R>, progress: Progress): Promise<R | null> {
    for (let tries = 0; ; tries += 1) {
      let outcome: { readonly result: R | null } | { readonly error: unknown };
      try {
        outcome = {
          result: await (tries === 0
            ? this.#first(pending, work, progress)
            : this.#again(pending, work, progress)),
        };
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

  /** Runs the work of a request, with the faults that it meets. Null when a fault has replaced the response. */
  #first<R>(pending: PendingRequest, work: RequestWork<R>, progress: Progress): R | null | Promise<R | null> {
    const { scheduler, faults } = this.#options;
    if (work.takesLock === true) return this.#outside(pending, work, progress);
    const { target } = work;
    const enter = () =>
      target === undefined || faults.isEmpty
        ? scheduler.runShared(this.#inWorld(pending, work, progress))
        : this.#withFaults(pending, { ...work, target }, progress);
    const earning = work.needsSavings === true ? scheduler.earn() : null;
    return earning === null ? enter() : earning.then(enter);
  }

  #again<R>(pending: PendingRequest, work: RequestWork<R>, progress: Progress): R | null | Promise<R | null> {
    if (work.takesLock === true) return this.#outside(pending, work, progress);
    const { scheduler } = this.#options;
    if (progress.instead === null) return scheduler.runWithoutCatchUp(this.#inWorld(pending, work, progress));
    progress.rollbackCount = scheduler.rollbackCount;
    return null;
  }

  /** Runs work that takes the world's lock itself. */
  async #outside<R>(
    { record }: PendingRequest,
    { isRead, countsRollbacks, run }: RequestWork<R>,
    progress: Progress,
  ): Promise<R> {
    const { scheduler, remember } = this.#options;
    if (countsRollbacks === true) progress.rollbackCount = scheduler.rollbackCount;
    if (!isRead) await scheduler.runWithoutCatchUp(() => remember(record));
    return run({ requestId: record.requestId, trouble: null });
  }

  /** The work of a request as it runs in the world: its response is not sent if the world is rolled back from then on. */
  #inWorld<R>(
    { record }: PendingRequest,
    { isRead, run }: RequestWork<R>,
    progress: Progress,
    trouble: RequestContext['trouble'] = null,
  ): () => R | Promise<R> {
    return () => {
      if (!isRead) this.#options.remember(record);
      progress.rollbackCount = this.#options.scheduler.rollbackCount;
      return run({ requestId: record.requestId, trouble });
    };
  }

  /** Runs work with the faults that were injected before it, after it, and on the way to the chain. */
  async #withFaults<R>(
    pending: PendingRequest,
    work: RequestWork<R> & Required<Pick<RequestWork<R>, 'target'>>,
    progress: Progress,
  ): Promise<R | null> {
    const { scheduler, faults, remember } = this.#options;
    const { record, trace } = pending;
    const sleep = (ms: number) => scheduler.sleep(ms);
    const plan = await scheduler.runShared(async () => {
      if (!work.isRead) remember(record);
      const call = work.target();
      const met = faults.meet(call instanceof Promise ? await call : call);
      trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    record.faults = plan.reports;
    progress.instead = await applyFaults(plan.before, sleep);
    if (progress.instead !== null) return null;
    const result = await scheduler.runShared(this.#inWorld(pending, work, progress, plan.trouble));
    progress.instead = await applyFaults(plan.after, sleep);
    return result;
  }
}
