import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { PACKAGE_ROOT } from '../../../src/core/package-root.js';

/** Collects garbage when it is told to, so that memory after an attack is what is really kept. */
const COLLECTS = `data:text/javascript,process.on('SIGUSR2', () => { for (let i = 0; i < 4; i += 1) gc(); });`;

/** Asks for something small, again and again, in a thread of its own; tells how long the longest answer took. */
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

interface Ready {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly usdcMint: string;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
}

/** A `sim start` in a process of its own that is attacked. */
export class Target {
  readonly #child: ChildProcess;
  readonly ready: Ready;
  stderr = '';

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-20_000);
    });
  }

  static async start(...args: string[]): Promise<Target> {
    const main = join(PACKAGE_ROOT, 'dist/cli/main.js');
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--import', COLLECTS, main, 'start', '--port', '0', '--json', '--quiet', ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    if (child.stdout === null) throw new Error('the process has no stdout');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new Target(child, JSON.parse(line) as Ready);
  }

  get origin(): string {
    return new URL(this.ready.baseUrl).origin;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Megabytes of resident memory, and open descriptors. */
  async figures(): Promise<{ mb: number; descriptors: number }> {
    const { pid } = this.#child;
    process.kill(pid ?? 0, 'SIGUSR2');
    // The signal is heard when the loop has a turn, as is this request.
    await fetch(`${this.origin}/_sim/v1/time`).then((response) => response.text());
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return { mb: (Number(pages) * 4_096) / 1e6, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  }

  /** Watches how long somebody else's small calls take, until the function that it gives is called. */
  watch(): () => Promise<{ longestMs: number; failures: number }> {
    const worker = new Worker(BYSTANDER, {
      eval: true,
      workerData: `${this.ready.baseUrl}/agent/account/savings/yield`,
    });
    return async () => {
      worker.postMessage('over', []);
      const [told] = (await once(worker, 'message')) as [{ longestMs: number; failures: number }];
      await worker.terminate();
      return told;
    };
  }

  /** The client of a dev wallet. */
  agent(at: number): AgentClient {
    const wallet = AgentWallet.fromSecretKey(this.ready.wallets[at]?.secretKey ?? '');
    return new AgentClient({ baseUrl: this.ready.baseUrl, wallet });
  }

  /** Rules that do not hold. */
  async violations(): Promise<unknown[]> {
    const answer = await fetch(`${this.origin}/_sim/v1/invariants`);
    return ((await answer.json()) as { violations: unknown[] }).violations;
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}
