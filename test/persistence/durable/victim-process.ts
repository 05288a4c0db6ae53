import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { SimulatorOptions } from '../../../src/runtime/config.js';

const PROGRAM = fileURLToPath(new URL('./victim.ts', import.meta.url));

/** A service in a process of its own, see `victim.ts`. */
export class Victim {
  /** What it has complained of. */
  stderr = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<void>;

  /** `limitKib` is how large a file of it may be; null for any size. */
  constructor(options: SimulatorOptions, limitKib: number | null = null) {
    const argv = [process.execPath, '--import', 'tsx', PROGRAM, JSON.stringify(options)];
    const [program, ...args] =
      limitKib === null ? argv : ['bash', '-c', `ulimit -f ${limitKib}; exec "$@"`, 'bash', ...argv];
    this.#child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout.setEncoding('utf8');
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', () => resolve());
    });
  }

  /** Its address, once it listens. Rejects when it ends before. */
  async ready(): Promise<string> {
    const line = new Promise<string>((resolve) => {
      this.#child.stdout.once('data', (text: string) => resolve(text.trim()));
    });
    const origin = await Promise.race([line, this.#ended.then(() => null)]);
    if (origin === null) throw new Error(`the service ended: ${this.stderr}`);
    return origin;
  }

  /** Kills it; gives when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
