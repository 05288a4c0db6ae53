import { type ChildProcess, fork } from 'node:child_process';
import { COMMAND_FILE } from '../../core/package-root.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import { type Scenario, aboutOf } from '../../testing/scenario/scenario.js';

/** How much longer than a scenario's limit a worker may take. */
const GRACE_MS = 5_000;

/** Messages to and from a worker. */
export type ToWorker = { readonly play: string };
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result: ScenarioResult }
  | { readonly kind: 'broken'; readonly reason: string };

interface Worker {
  readonly process: ChildProcess;
  readonly ready: Promise<string | null>;
}

function lost(scenario: Scenario, reason: string, engine: string): ScenarioResult {
  return {
    ...aboutOf(scenario),
    verdict: 'failed',
    reason,
    target: 'in-process',
    engine,
    seed: '',
    ms: 0,
    steps: [],
    rerun: `sim run ${scenario.id}`,
    inspector: null,
    property: null,
  };
}

/** Worker processes, each playing one scenario at a time. If one dies, its scenario fails and the process is replaced. */
export class WorkerPool {
  readonly #argv: readonly string[];
  readonly #engine: string;
  readonly #free: Worker[] = [];
  readonly #running = new Set<ChildProcess>();
  readonly #deadlineMs: number;

  /** `argv` is the command line of `sim run`, from which workers load the same scenarios; `timeoutMs` is the limit per scenario. */
  constructor(argv: readonly string[], engine: string, timeoutMs: number) {
    this.#deadlineMs = timeoutMs + GRACE_MS;
    this.#argv = argv;
    this.#engine = engine;
    // A worker in a busy loop would not notice that its parent is gone.
    process.once('exit', this.#kill);
  }

  /** Starts processes in advance. */
  async warm(count: number): Promise<void> {
    const workers = Array.from({ length: count }, () => this.#start());
    await Promise.all(workers.map(({ ready }) => ready));
    this.#free.push(...workers);
  }

  /** Plays one scenario in an idle process. Never rejects. */
  async play(scenario: Scenario): Promise<ScenarioResult> {
    const worker = this.#free.pop() ?? this.#start();
    const problem = await worker.ready;
    const result = problem === null ? await this.#ask(worker, scenario) : null;
    if (result === null) {
      worker.process.kill('SIGKILL');
      const { exitCode, signalCode } = worker.process;
      const why = problem ?? `its process ended (${signalCode ?? `exit code ${exitCode}`})`;
      return lost(scenario, `it could not be played: ${why}`, this.#engine);
    }
    this.#free.push(worker);
    return result;
  }

  /** Ends all processes. */
  close(): void {
    process.off('exit', this.#kill);
    for (const worker of this.#free) if (worker.process.connected) worker.process.disconnect();
  }

  readonly #kill = (): void => {
    for (const child of this.#running) child.kill('SIGKILL');
  };

  #start(): Worker {
    const child = fork(COMMAND_FILE, ['run-worker', ...this.#argv], { serialization: 'advanced' });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    const ready = new Promise<string | null>((resolve) => {
      child.once('message', (message: FromWorker) =>
        resolve(message.kind === 'broken' ? message.reason : null),
      );
      child.once('exit', () => resolve('its process ended before it began'));
    });
    return { process: child, ready };
  }

  #ask({ process: child }: Worker, { id }: Scenario): Promise<ScenarioResult | null> {
    return new Promise((resolve) => {
      const gone = () => {
        clearTimeout(timer);
        resolve(null);
      };
      // A scenario in a busy loop cannot be stopped from within.
      const timer = setTimeout(() => child.kill('SIGKILL'), this.#deadlineMs);
      child.once('exit', gone);
      child.once('message', (message: FromWorker) => {
        clearTimeout(timer);
        child.off('exit', gone);
        resolve(message.kind === 'done' ? message.result : null);
      });
      child.send({ play: id } satisfies ToWorker);
    });
  }
}
