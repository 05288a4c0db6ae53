import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import { type Ready, type Serving, served, startedCommand } from '../../cli/process.js';

/**
 * Tells on SIGUSR2 how long the process has stood still at most since the last time; then collects garbage, so that memory measured after an
 * attack is what is really retained.
 */
const COLLECTS = `data:text/javascript,${encodeURIComponent(`
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  let times = 0;
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  process.on('SIGUSR2', () => {
    times += 1;
    process.stderr.write(loop.max / 1e6 + ' ms at most, ' + times + ';\\n');
    for (let i = 0; i < 4; i += 1) gc();
    loop.reset();
  });`)}`;

/**
 * Makes a small call repeatedly in its own thread. Its first calls are not measured: they load and compile the client. Reports how long
 * the slowest of the others took, and how long the thread itself stood still.
 */
const BYSTANDER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { monitorEventLoopDelay } = require('node:perf_hooks');
  let longestMs = 0, failures = 0, isOver = false;
  const own = monitorEventLoopDelay({ resolution: 10 });
  const call = async () => {
    const from = performance.now();
    try {
      const response = await fetch(workerData);
      await response.text();
      if (!response.ok) failures += 1;
    } catch { failures += 1; }
    longestMs = Math.max(longestMs, performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  parentPort.once('message', () => { isOver = true; });
  (async () => {
    for (let first = 0; first < 3; first += 1) await call();
    longestMs = 0;
    own.enable();
    parentPort.postMessage('ready');
    while (!isOver) await call();
    parentPort.postMessage({ longestMs, failures, callerMs: own.max / 1e6 });
  })();`;

/** What a hostile client does for some seconds. It should meet refusals and closed connections. */
export type Attack = (target: Target) => Promise<unknown>;

/** The effect of an attack on a process and on another client's small calls. */
export interface AttackResult {
  readonly seconds: number;
  readonly before: Figures;
  readonly after: Figures;
  /** The longest call, and what explains it: how long the process and the caller's own thread stood still. */
  readonly longestMs: number;
  readonly loopMs: number;
  readonly callerMs: number;
  readonly lost: number;
  readonly told?: string;
  /** How long another client's call may take, where the attack itself determines it. */
  readonly allowedMs?: number;
}

/** Megabytes of resident memory, open descriptors, and how long it stood still since they were read last. */
interface Figures {
  readonly mb: number;
  readonly descriptors: number;
  readonly loopMs: number;
}

/** What another client saw meanwhile. */
interface Watched {
  readonly longestMs: number;
  readonly failures: number;
  readonly callerMs: number;
}

/** After an attack memory and descriptors are measured for so long, while they are more than this above their level before it. */
const SETTLING_MS = 5_000;
const [SETTLED_MB, SETTLED_DESCRIPTORS] = [25, 10];

/** A `sim start` under attack, in its own process. */
export class Target {
  readonly #server: Serving;
  #measured = 0;

  private constructor(server: Serving) {
    this.#server = server;
  }

  static async start(...args: readonly string[]): Promise<Target> {
    const command = startedCommand(
      ['start', '--json', '--port', '0', '--quiet', ...args],
      {},
      {
        nodeOptions: ['--expose-gc', '--import', COLLECTS],
      },
    );
    return new Target(await served(command));
  }

  get ready(): Ready {
    return this.#server.ready;
  }

  get origin(): string {
    return this.#server.origin;
  }

  get isAlive(): boolean {
    return this.#server.command.isAlive;
  }

  /** The client of a dev wallet. */
  agent(at: number): AgentClient {
    return this.#server.agent(at);
  }

  /** Runs an attack. Throws when the process ends. */
  async underAttack(attack: Attack): Promise<AttackResult> {
    const before = await this.#figures();
    const watched = await this.#watch();
    const from = performance.now();
    try {
      await attack(this);
    } finally {
      await watched();
    }
    const seconds = (performance.now() - from) / 1_000;
    const { longestMs, failures: lost, callerMs } = await watched();
    if (!this.isAlive) throw new Error(`the process has ended: ${this.#server.command.stderr}`);
    // Freed buffers leave the process a few event loop turns after they were collected, and sockets after they were closed.
    let after = await this.#figures();
    const { loopMs } = after;
    const untilMs = performance.now() + SETTLING_MS;
    const isSettled = () =>
      after.mb <= before.mb + SETTLED_MB && after.descriptors <= before.descriptors + SETTLED_DESCRIPTORS;
    while (!isSettled() && performance.now() < untilMs) after = await this.#figures();
    return { seconds, before, after, longestMs, loopMs, callerMs, lost };
  }

  async #figures(): Promise<Figures> {
    const { command } = this.#server;
    this.#measured += 1;
    command.kill('SIGUSR2');
    // The signal is handled on an event loop turn, and so is this request.
    await fetch(`${this.origin}/_sim/v1/time`).then((response) => response.text());
    const end = ` ms at most, ${this.#measured};`;
    const [told = ''] = (await command.complained(end)).split(end);
    const [, pages = '0'] = readFileSync(`/proc/${command.pid}/statm`, 'utf8').split(' ');
    return {
      mb: (Number(pages) * 4_096) / 1e6,
      descriptors: readdirSync(`/proc/${command.pid}/fd`).length,
      loopMs: Number(told.slice(told.lastIndexOf('\n') + 1)),
    };
  }

  /** Measures another client's small calls until the returned function is first called. */
  async #watch(): Promise<() => Promise<Watched>> {
    const worker = new Worker(BYSTANDER, {
      eval: true,
      workerData: `${this.ready.baseUrl}/agent/account/savings/yield`,
    });
    await once(worker, 'message');
    let told: Promise<Watched> | null = null;
    const end = async () => {
      worker.postMessage('over', []);
      const [figures] = (await once(worker, 'message')) as [Watched];
      await worker.terminate();
      return figures;
    };
    return () => (told ??= end());
  }

  /** The violated invariants. */
  async violations(): Promise<unknown[]> {
    const answer = await fetch(`${this.origin}/_sim/v1/invariants`);
    return ((await answer.json()) as { violations: unknown[] }).violations;
  }

  stop(): Promise<unknown> {
    return this.#server.command.endedBy('SIGTERM');
  }
}
