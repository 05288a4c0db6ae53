import { type ChildProcess, fork } from 'node:child_process';
import { COMMAND_FILE } from '../../core/package-root.js';
import type { FailureFile, Summary } from '../../testing/fuzz-library.js';
import type { FromFuzzWorker, ToFuzzWorker } from './fuzz-worker.js';
import type { Shown } from './progress.js';

function added(parts: readonly Shown[]): Shown {
  const [first] = parts as [Shown];
  const most = (a: number, b: number) => Math.max(a, b);
  const approaches: Record<string, number> = {};
  for (const part of parts)
    for (const [limit, share] of Object.entries(part.approaches))
      approaches[limit] = most(approaches[limit] ?? 0, share);
  return {
    property: first.property,
    runs: parts.reduce((sum, { runs }) => sum + runs, 0),
    steps: parts.reduce((sum, { steps }) => sum + steps, 0),
    // Overlapping coverage is only counted once at the end.
    pairs: parts.map(({ pairs }) => pairs).reduce(most),
    goals: [parts.map(({ goals }) => goals[0]).reduce(most), first.goals[1]],
    approaches,
  };
}

/** What to play: a campaign of the plan, after an earlier part of each worker. */
interface Order {
  readonly campaign: number;
  readonly known: readonly FailureFile[];
  readonly earlier: readonly (Summary | null)[];
}

/** Worker processes that run parts of campaigns in parallel. */
export class FuzzWorkers {
  readonly #children: readonly ChildProcess[];
  readonly #signal: AbortSignal;

  /** `argv` is the command line of `sim fuzz`; the workers stop when `signal` is aborted. */
  constructor(argv: readonly string[], count: number, signal: AbortSignal) {
    this.#signal = signal;
    this.#children = Array.from({ length: count }, () =>
      fork(COMMAND_FILE, ['fuzz-worker', ...argv], { serialization: 'advanced' }),
    );
    process.once('exit', this.#kill);
    signal.addEventListener('abort', () => this.stop());
  }

  /**
   * Plays one campaign of the plan, until every worker has ended its part. Resolves to the parts, null for a worker that was interrupted
   * before it could report. Rejects with a worker's error.
   */
  async play(
    { campaign, known, earlier }: Order,
    { show, keep }: { show: (shown: Shown) => void; keep: (file: FailureFile) => void },
  ): Promise<readonly (Summary | null)[]> {
    const shown = new Map<number, Shown>();
    const parts = this.#children.map((child, worker) => {
      const part = earlier[worker] ?? null;
      return this.#part(child, { kind: 'play', campaign, worker, known, earlier: part }, (message) => {
        if (message.kind === 'kept') keep(message.file);
        if (message.kind !== 'progress') return;
        shown.set(worker, message.shown);
        show(added([...shown.values()]));
      });
    });
    return Promise.all(parts);
  }

  /** Makes the workers end after their current work. */
  stop(): void {
    for (const child of this.#children)
      if (child.connected) child.send({ kind: 'stop' } satisfies ToFuzzWorker);
  }

  close(): void {
    process.off('exit', this.#kill);
    this.#kill();
  }

  readonly #kill = (): void => {
    for (const child of this.#children) child.kill('SIGKILL');
  };

  /** A worker's result; null if it was interrupted before it could report. */
  #part(
    child: ChildProcess,
    order: ToFuzzWorker,
    hear: (message: FromFuzzWorker) => void,
  ): Promise<Summary | null> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null) => {
        // The signal arrived before its handlers were installed.
        if (this.#signal.aborted) resolve(null);
        else reject(new Error(`a worker ended before its campaign did (${signal ?? `exit code ${code}`})`));
      };
      const heard = (message: FromFuzzWorker) => {
        hear(message);
        if (message.kind === 'progress' || message.kind === 'kept') return;
        child.off('message', heard);
        child.off('exit', ended);
        if (message.kind === 'done') resolve(message.summary);
        else reject(new Error(message.reason));
      };
      child.on('message', heard);
      child.once('exit', ended);
      child.send(order);
    });
  }
}
