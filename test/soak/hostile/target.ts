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

/** Collects garbage on SIGUSR2, so that memory measured after an attack is what is really retained. */
const COLLECTS = `data:text/javascript,process.on('SIGUSR2', () => { for (let i = 0; i < 4; i += 1) gc(); });`;

/** Makes a small call repeatedly in its own thread, and reports how long the slowest took. */
const BYSTANDER = `
  const { parentPort, workerData } = require('node:worker_threads');
  let longestMs = 0, failures = 0, isOver = false;
  parentPort.once('message', () => { isOver = true; });
  (async () => {
    while (!isOver) {
      const from = performance.now();
      try {
        const response = await fetch(workerData);
        await response.text();
        if (!response.ok) failures += 1;
      } catch { failures += 1; }
      longestMs = Math.max(longestMs, performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    parentPort.postMessage({ longestMs, failures });
  })();`;

/** What a hostile client does for some seconds. It should meet refusals and closed connections. Returns a line for the report. */
export type Attack = (target: Target, round: number) => Promise<unknown>;

/** The effect of an attack on a process and on another client's small calls. */
export interface AttackResult {
  readonly seconds: number;
  readonly before: Figures;
  readonly after: Figures;
  readonly longestMs: number;
  readonly lost: number;
  readonly told: string;
  /** How long another client's call may take, where the attack itself determines it. */
  readonly allowedMs?: number;
}

/** Megabytes of resident memory, and open descriptors. */
interface Figures {
  readonly mb: number;
  readonly descriptors: number;
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

/** Memory is measured up to this many times, while it is more than this above its level before the attack. */
const [SETTLING_TRIES, SETTLED_MB] = [20, 25];

/** A `sim start` under attack, in its own process. */
export class Target {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  #ready: Ready | null = null;
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
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-20_000);
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
    const watched = this.#watch();
    const from = performance.now();
    let told: unknown;
    try {
      told = await attack(this, round);
    } finally {
      await watched();
    }
    const seconds = (performance.now() - from) / 1_000;
    const { longestMs, failures: lost } = await watched();
    if (!this.isAlive) throw new Error(`the process has ended: ${this.stderr}`);
    // Freed buffers leave the process a few event loop turns after they were collected.
    let after = await this.#figures();
    for (let tries = 0; tries < SETTLING_TRIES && after.mb > before.mb + SETTLED_MB; tries += 1)
      after = await this.#figures();
    return { seconds, before, after, longestMs, lost, told: typeof told === 'string' ? told : '' };
  }

  async #figures(): Promise<Figures> {
    const { pid } = this;
    process.kill(pid, 'SIGUSR2');
    // The signal is handled on an event loop turn, and so is this request.
    await fetch(`${this.origin}/_sim/v1/time`).then((response) => response.text());
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return { mb: (Number(pages) * 4_096) / 1e6, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  }

  /** Measures another client's small calls until the returned function is first called. */
  #watch(): () => Promise<{ longestMs: number; failures: number }> {
    const worker = new Worker(BYSTANDER, {
      eval: true,
      workerData: `${this.ready.baseUrl}/agent/account/savings/yield`,
    });
    let told: Promise<{ longestMs: number; failures: number }> | null = null;
    const end = async () => {
      worker.postMessage('over', []);
      const [figures] = (await once(worker, 'message')) as [{ longestMs: number; failures: number }];
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
