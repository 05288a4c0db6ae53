import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { PACKAGE_ROOT } from '../../../src/core/package-root.js';

/** How a line about the process itself begins. */
const STOOD_STILL = 'stood still ';

/**
 * Tells on SIGUSR2 how long the process has stood still at most since the last time, how long its collector stopped it, and how long the
 * disk took for a write; then collects garbage, so that memory measured after an attack is what is really retained.
 */
const COLLECTS = `data:text/javascript,${encodeURIComponent(`
  import { PerformanceObserver, monitorEventLoopDelay } from 'node:perf_hooks';
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let gcMs = 0, collected = 0, diskMs = 0;
  const { fdatasync, fdatasyncSync } = fs;
  const wrote = (from) => { diskMs = Math.max(diskMs, performance.now() - from); };
  fs.fdatasync = (fd, done) => {
    const from = performance.now();
    fdatasync(fd, (error) => { wrote(from); done(error); });
  };
  fs.fdatasyncSync = (fd) => {
    const from = performance.now();
    fdatasyncSync(fd);
    wrote(from);
  };
  syncBuiltinESMExports();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) if (startTime >= collected) gcMs = Math.max(gcMs, duration);
  }).observe({ entryTypes: ['gc'] });
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  process.on('SIGUSR2', () => {
    process.stderr.write('${STOOD_STILL}' + JSON.stringify({ loopMs: loop.max / 1e6, gcMs, diskMs }) + '\\n');
    for (let i = 0; i < 4; i += 1) gc();
    collected = performance.now();
    gcMs = diskMs = 0;
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

/** What a hostile client does for some seconds. It should meet refusals and closed connections. Returns a line for the report. */
export type Attack = (target: Target, round: number) => Promise<unknown>;

/** The effect of an attack on a process and on another client's small calls. */
export interface AttackResult {
  readonly seconds: number;
  readonly before: Figures;
  readonly after: Figures;
  /** The longest call, and what explains it: how long the process, its collector and the caller's own thread stood still. */
  readonly longestMs: number;
  readonly stoodStill: StoodStill & { readonly callerMs: number };
  readonly lost: number;
  readonly told: string;
  /** How long another client's call may take, where the attack itself determines it. */
  readonly allowedMs?: number;
}

/** For how many milliseconds at most the process took no calls, its garbage collector stopped it, and the disk took for a write. */
interface StoodStill {
  readonly loopMs: number;
  readonly gcMs: number;
  readonly diskMs: number;
}

/** Megabytes of resident memory, open descriptors, and how long it stood still since they were read last. */
interface Figures {
  readonly mb: number;
  readonly descriptors: number;
  readonly stoodStill: StoodStill;
}

/** What another client saw meanwhile. */
interface Watched {
  readonly longestMs: number;
  readonly failures: number;
  readonly callerMs: number;
}

interface Ready {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly usdcMint: string;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
}

/** The built program that users run; test/support/build.ts builds it. */
export const MAIN = join(PACKAGE_ROOT, 'dist/cli/main.js');

/** After an attack memory and descriptors are measured for so long, while they are more than this above their level before it. */
const SETTLING_MS = 5_000;
const [SETTLED_MB, SETTLED_DESCRIPTORS] = [25, 10];

/** A `sim start` under attack, in its own process. */
export class Target {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  #ready: Ready | null = null;
  #toldStoodStill: (stoodStill: StoodStill) => void = () => undefined;
  stderr = '';
  /** How long it took to start. */
  startMs = 0;

  private constructor(args: readonly string[], wrapper: readonly string[]) {
    const start = [MAIN, 'start', '--port', '0', '--json', '--quiet', ...args];
    const [program = '', ...rest] = [
      ...wrapper,
      process.execPath,
      '--expose-gc',
      '--import',
      COLLECTS,
      ...start,
    ];
    this.#child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'exit');
    createInterface(this.#child.stderr).on('line', (line) => {
      if (line.startsWith(STOOD_STILL))
        this.#toldStoodStill(JSON.parse(line.slice(STOOD_STILL.length)) as StoodStill);
      else this.stderr = `${this.stderr}${line}\n`.slice(-20_000);
    });
  }

  /** `wrapper` is a command that runs the one that follows it. */
  static async start(args: readonly string[], wrapper: readonly string[] = []): Promise<Target> {
    const from = performance.now();
    const target = new Target(args, wrapper);
    const line = once(createInterface(target.#child.stdout), 'line') as Promise<[string]>;
    const told = await Promise.race([line, target.#ended.then(() => null)]);
    if (told === null) throw new Error(`the process did not start: ${target.stderr}`);
    target.#ready = JSON.parse(told[0]) as Ready;
    target.startMs = performance.now() - from;
    return target;
  }

  get ready(): Ready {
    if (this.#ready === null) throw new Error('the process has not started');
    return this.#ready;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get origin(): string {
    return new URL(this.ready.baseUrl).origin;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Runs an attack. Throws when the process ends. */
  async underAttack(attack: Attack, round: number): Promise<AttackResult> {
    const before = await this.#figures();
    const watched = await this.#watch();
    const from = performance.now();
    let told: unknown;
    try {
      told = await attack(this, round);
    } finally {
      await watched();
    }
    const seconds = (performance.now() - from) / 1_000;
    const { longestMs, failures: lost, callerMs } = await watched();
    if (!this.isAlive) throw new Error(`the process has ended: ${this.stderr}`);
    // Freed buffers leave the process a few event loop turns after they were collected, and sockets after they were closed.
    let after = await this.#figures();
    const stoodStill = { ...after.stoodStill, callerMs };
    const untilMs = performance.now() + SETTLING_MS;
    const isSettled = () =>
      after.mb <= before.mb + SETTLED_MB && after.descriptors <= before.descriptors + SETTLED_DESCRIPTORS;
    while (!isSettled() && performance.now() < untilMs) after = await this.#figures();
    return {
      seconds,
      before,
      after,
      longestMs,
      stoodStill,
      lost,
      told: typeof told === 'string' ? told : '',
    };
  }

  async #figures(): Promise<Figures> {
    const { pid } = this;
    const told = new Promise<StoodStill>((resolve) => (this.#toldStoodStill = resolve));
    process.kill(pid, 'SIGUSR2');
    // The signal is handled on an event loop turn, and so is this request.
    await fetch(`${this.origin}/_sim/v1/time`).then((response) => response.text());
    const stoodStill = await told;
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return {
      mb: (Number(pages) * 4_096) / 1e6,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      stoodStill,
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

  /** The client of a dev wallet. */
  agent(at: number): AgentClient {
    const wallet = AgentWallet.fromSecretKey(this.ready.wallets[at]?.secretKey ?? '');
    return new AgentClient({ baseUrl: this.ready.baseUrl, wallet });
  }

  /** The violated invariants. */
  async violations(): Promise<unknown[]> {
    const answer = await fetch(`${this.origin}/_sim/v1/invariants`);
    return ((await answer.json()) as { violations: unknown[] }).violations;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }
}
