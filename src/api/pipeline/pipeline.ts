import type { RequestContext } from '../../core/domain/request-context.js';
import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import { type Faults, type IncomingCall, applyFaults } from '../../runtime/faults/fault-rules.js';
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

/** An interface's part of a request. `render` and `fail` return the response, and fill in what is logged of it. */
export interface RequestStages<R, A> {
  /** Whether it is repeated when it has seen changes that were rolled back. */
  readonly isRead: boolean;
  /** Throws for a request that may not enter. It looks at nothing of the world, so its refusal waits for nothing. */
  readonly admit?: () => void;
  /** Carries out the request, by `inWorld` unless it takes the world's lock itself. */
  readonly work: () => R | Promise<R>;
  /** Renders the result, or the pending request's `instead`. */
  readonly render: (result: R) => A;
  /** Renders an exception, also one of `render`. */
  readonly fail: (error: unknown) => A;
}

export interface WorldWork<T> {
  /** Identifies the call to fault rules; missing where none apply. */
  readonly target?: () => IncomingCall | Promise<IncomingCall>;
  /** It may ask what savings have earned. After very many changes of a rate that is computed before, while other requests go on. */
  readonly needsSavings?: boolean;
  readonly work: (cause: RequestContext) => T | Promise<T>;
}

/** Thrown in place of a response that is never sent: the connection ends instead. */
export class LostAnswer extends Error {
  override readonly name = 'LostAnswer';
}

/** How often a read is retried that has seen changes which were rolled back. */
const READ_TRIES = 8;

/**
 * The way of a request from its arrival to its response, for all interfaces of a world: number, record, admission, faults, work,
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
  async answer<R, A>(pending: PendingRequest<A>, stages: RequestStages<R, A>): Promise<A> {
    let answer: A;
    pending.isRead = stages.isRead;
    try {
      stages.admit?.();
      answer = stages.render(await this.#durable(pending, stages));
    } catch (error) {
      pending.instead = null;
      answer = stages.fail(error);
    }
    pending.trace?.answered(answer, pending.record.wallet);
    this.log(pending);
    return answer;
  }

  /**
   * Runs the work of a request together with other shared work, and injects the faults that its target meets. A retry runs on the
   * world as it is, which creates no further changes to persist, and meets no faults. Null when a fault has replaced the response.
   */
  inWorld<T>(pending: PendingRequest, work: WorldWork<T>): T | null | Promise<T | null> {
    const earning = work.needsSavings === true ? this.#options.scheduler.earn() : null;
    const enter = () => this.#enterWorld(pending, work);
    return earning === null ? enter() : earning.then(enter);
  }

  #enterWorld<T>(pending: PendingRequest, { target, work }: WorldWork<T>): T | null | Promise<T | null> {
    const { scheduler, faults } = this.#options;
    if (pending.isRepeated && pending.instead !== null) {
      this.begin(pending);
      return null;
    }
    if (pending.isRepeated) return scheduler.runWithoutCatchUp(this.#entered(pending, work));
    if (target === undefined || faults.isEmpty) return scheduler.runShared(this.#entered(pending, work));
    return this.#withFaults(pending, target, work);
  }

  /** Notes that the work of a request begins: its response is not sent if the world is rolled back from now on. */
  begin(pending: PendingRequest): void {
    pending.rollbackCount = this.#options.scheduler.rollbackCount;
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

  /** Remembers the world before a request whose work takes the world's lock itself. */
  async rememberAhead(pending: PendingRequest): Promise<void> {
    if (!pending.isRead) await this.#options.scheduler.runWithoutCatchUp(() => this.#remember(pending));
  }

  #remember({ isRead, record }: PendingRequest): void {
    if (!isRead) this.#options.remember(record);
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
   * A read that has seen changes which were rolled back is retried. Throws what the work throws, and StorageUnavailable.
   */
  async #durable<R, A>(pending: PendingRequest<A>, { isRead, work }: RequestStages<R, A>): Promise<R> {
    for (let tries = 0; ; tries += 1) {
      let outcome: { readonly result: R } | { readonly error: unknown };
      try {
        outcome = { result: await work() };
      } catch (error) {
        outcome = { error };
      }
      try {
        const written = this.whenDurable(pending.rollbackCount);
        if (written !== null) await written;
      } catch (error) {
        if (!isRead || tries === READ_TRIES || !(error instanceof StorageUnavailable)) throw error;
        pending.isRepeated = true;
        continue;
      }
      if ('error' in outcome) throw outcome.error;
      return outcome.result;
    }
  }

  /** `work` with the context of its request. */
  #entered<T>(
    pending: PendingRequest,
    work: WorldWork<T>['work'],
    trouble: RequestContext['trouble'] = null,
  ): () => T | Promise<T> {
    return () => {
      this.#remember(pending);
      this.begin(pending);
      return work({ requestId: pending.record.requestId, trouble });
    };
  }

  /** Runs work with the faults that were injected before it, after it, and on the way to the chain. */
  async #withFaults<T>(
    pending: PendingRequest,
    target: () => IncomingCall | Promise<IncomingCall>,
    work: WorldWork<T>['work'],
  ): Promise<T | null> {
    const { scheduler, faults } = this.#options;
    const sleep = (ms: number) => scheduler.sleep(ms);
    const plan = await scheduler.runShared(async () => {
      this.#remember(pending);
      const call = target();
      const met = faults.meet(call instanceof Promise ? await call : call);
      pending.trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    pending.record.faults = plan.reports;
    pending.instead = await applyFaults(plan.before, sleep);
    if (pending.instead !== null) return null;
    const result = await scheduler.runShared(this.#entered(pending, work, plan.trouble));
    pending.instead = await applyFaults(plan.after, sleep);
    return result;
  }
}
