import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The built program that users run; test/support/build.ts builds it. */
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A running `sim` command and its output. */
export class Command {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exit: Promise<number | null>;

  constructor(
    args: readonly string[],
    env: Record<string, string> = {},
    { program = MAIN, cwd = process.cwd() }: { readonly program?: string; readonly cwd?: string } = {},
  ) {
    this.#child = spawn(
      process.execPath,
      [...(program === MAIN ? [] : ['--import', 'tsx']), program, ...args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
        cwd,
      },
    );
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#exit = new Promise((resolve) => {
      this.#child.on('close', (code) => resolve(code));
    });
  }

  /** Resolves when stdout contains `text`; rejects when the command ends without it. */
  printed(text: string): Promise<string> {
    return this.#until('stdout', text);
  }

  /** Resolves when stderr contains `text`; rejects when the command ends without it. */
  complained(text: string): Promise<string> {
    return this.#until('stderr', text);
  }

  async #until(stream: 'stdout' | 'stderr', text: string): Promise<string> {
    while (!this[stream].includes(text)) {
      const ended = await Promise.race([
        new Promise<false>((resolve) => {
          this.#child[stream].once('data', () => resolve(false));
        }),
        this.#exit.then(() => true),
      ]);
      if (ended && !this[stream].includes(text))
        throw new Error(`ended without "${text}": ${this.stdout}${this.stderr}`);
    }
    return this[stream];
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#exit;
  }
}

/** Runs a command to its end. */
export async function run(
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = new Command(args);
  const code = await command.ended();
  return { code, stdout: command.stdout, stderr: command.stderr };
}
