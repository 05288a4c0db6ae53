import { type ChildProcess, fork } from 'node:child_process';
import type { FromJobProcess, ToJobProcess } from './job-process.js';
import { ATTEMPTS, type Job, type JobOutcome } from './job-runner.js';
import { LocalRunner } from './local-runner.js';

export interface JobProcesses {
  /** The program that calls `serveJobs`, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  /** Options of Node. Default: the options of this process. */
  readonly execArgv?: readonly string[];
  /** How many jobs run at once. */
  readonly count: number;
  /** Provides values that were not shared here. An error means that there is none: the job that needs it fails. */
  readonly lookUp?: (key: string) => Promise<unknown>;
}

/** Runs each job in a process of this machine. A process that ends is replaced, and its job starts again. */
export class ProcessRunner extends LocalRunner {
  readonly window: number;
  readonly #processes: JobProcesses;
  #free: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  readonly #busy = new Map<ChildProcess, Job>();
  /** Those that were killed at the time limit of their job. */
  readonly #late = new WeakSet<ChildProcess>();

  constructor(processes: JobProcesses) {
    super(processes.count);
    this.#processes = processes;
    this.window = 2 * processes.count;
    // A job in a busy loop would not notice the end of its parent.
    process.once('exit', this.#kill);
  }

  override stop(): void {
    super.stop();
    for (const child of this.#all) send(child, { kind: 'stop' });
    for (const [child, job] of this.#busy) endSoon(child, job);
  }

  async close(): Promise<void> {
    this.stop();
    process.off('exit', this.#kill);
    this.#kill();
  }

  readonly #kill = (): void => {
    for (const child of this.#all) child.kill('SIGKILL');
  };

  protected async play(job: Job): Promise<JobOutcome> {
    for (let attempt = 1; ; attempt += 1) {
      const child = this.#free.pop() ?? (await this.#started());
      const ended = child.exitCode === null && child.signalCode === null ? await this.#ask(child, job) : null;
      if (ended !== null) {
        this.#free.push(child);
        return ended;
      }
      child.kill('SIGKILL');
      if (this.isStopped && job.stopMs !== undefined) return { kind: 'withdrawn' };
      const { exitCode, signalCode } = child;
      const reason = `its process ended (${signalCode ?? `exit code ${exitCode}`})`;
      const isLate = this.#late.has(child);
      if (attempt >= (job.attempts ?? ATTEMPTS)) return { kind: 'crashed', reason, isLate };
    }
  }

  #started(): Promise<ChildProcess> {
    const { program, args, execArgv = process.execArgv } = this.#processes;
    const child = fork(program, args, { serialization: 'advanced', execArgv: [...execArgv] });
    this.#all.add(child);
    child.once('exit', () => {
      this.#all.delete(child);
      this.#free = this.#free.filter((each) => each !== child);
    });
    return new Promise((resolve) => {
      child.on('message', (message: FromJobProcess) => {
        if (message.kind === 'need') void this.#give(child, message.key);
        if (message.kind === 'ready') resolve(child);
      });
      child.once('exit', () => resolve(child));
    });
  }

  async #give(child: ChildProcess, key: string): Promise<void> {
    const lookUp = async () => this.#processes.lookUp?.(key);
    const value = this.values.has(key) ? this.values.get(key) : await lookUp().catch(() => undefined);
    send(child, { kind: 'value', key, value });
  }

  /** The outcome; null when the process ended without one. */
  #ask(child: ChildProcess, job: Job): Promise<JobOutcome | null> {
    const { name, data, timeoutMs } = job;
    this.#busy.set(child, job);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const ended = (outcome: JobOutcome | null) => {
        clearTimeout(timer);
        this.#busy.delete(child);
        child.off('message', heard);
        child.off('exit', gone);
        resolve(outcome);
      };
      const gone = () => ended(null);
      const heard = (message: FromJobProcess) => {
        if (message.kind === 'ended') ended(message.outcome);
        // A job in a busy loop cannot be stopped from within.
        else if (message.kind === 'begun' && timeoutMs !== undefined)
          timer = setTimeout(() => {
            this.#late.add(child);
            child.kill('SIGKILL');
          }, timeoutMs);
      };
      child.on('message', heard);
      child.once('exit', gone);
      send(child, { kind: 'run', job: { name, data } });
      if (!this.isStopped) return;
      send(child, { kind: 'stop' });
      endSoon(child, job);
    });
  }
}

function endSoon(child: ChildProcess, { stopMs }: Job): void {
  if (stopMs !== undefined) setTimeout(() => child.kill('SIGKILL'), stopMs).unref();
}

function send(child: ChildProcess, message: ToJobProcess): void {
  // An error means that the process is ending; its exit reports that.
  if (child.connected) child.send(message, () => undefined);
}
