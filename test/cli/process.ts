import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { AgentClient } from '../../src/sdk/client/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';

/** The built program that users run; test/support/build.ts builds it. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** How a command is started. */
interface CommandOptions {
  readonly program?: string;
  readonly cwd?: string;
  /** The begin of stdin, which then stays open; null for an stdin that has ended. */
  readonly input?: string | null;
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
  /** A command that runs the one that follows it. */
  readonly wrapper?: readonly string[];
}

/** A running `sim` command and its output. */
export class Command {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exit: Promise<number | null>;

  constructor(
    args: readonly string[],
    env: Record<string, string> = {},
    {
      program = MAIN,
      cwd = process.cwd(),
      input = null,
      nodeOptions = [],
      wrapper = [],
    }: CommandOptions = {},
  ) {
    const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const [file = '', ...argv] = [...wrapper, process.execPath, ...nodeOptions, ...loader, program, ...args];
    this.#child = spawn(file, argv, { stdio: 'pipe', env: { ...process.env, ...env }, cwd });
    if (input === null) this.#child.stdin.end();
    else this.#child.stdin.write(input);
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

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  /** Closes the pipes of stdout and stderr, as a reader does that has seen enough. */
  closeOutput(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The exit code; null after a signal that killed it. */
  ended(): Promise<number | null> {
    return this.#exit;
  }

  /** Sends a signal; the exit code. */
  endedBy(signal: NodeJS.Signals): Promise<number | null> {
    this.kill(signal);
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

/** A command that is killed at the end of the test if it still runs. */
export function startedCommand(...given: ConstructorParameters<typeof Command>): Command {
  const command = new Command(...given);
  onTestFinished(async () => void (await command.endedBy('SIGKILL')));
  return command;
}

/** The line of `sim start --json`. */
export interface Ready {
  readonly baseUrl: string;
  readonly inspectorUrl: string | null;
  readonly treasury: string;
  readonly usdcMint: string;
  readonly engine: string;
  readonly seed: string;
  readonly wallets: readonly { readonly address: string; readonly secretKey: string }[];
  readonly pid: number;
  readonly rpcUrl: string;
  readonly webSocketUrl: string;
  readonly paywall: { readonly url: string; readonly recipient: string } | null;
}

const START = ['start', '--json', '--port', '0'];

/** What a command that starts a simulator serves, once it is ready. */
export async function served(command: Command) {
  const ready = JSON.parse(await command.printed('\n')) as Ready;
  const { baseUrl, wallets } = ready;
  return {
    command,
    ready,
    origin: new URL(baseUrl).origin,
    /** A client with the key of one of the wallets. */
    agent: (at = 0) =>
      new AgentClient({ baseUrl, wallet: AgentWallet.fromSecretKey(wallets[at]?.secretKey ?? '') }),
    stop: async () => {
      expect(await command.endedBy('SIGTERM')).toBe(0);
    },
  };
}

/** A `sim start` in another process, killed at the end of the test if it still runs. */
export function serving(...args: readonly string[]): Promise<Serving> {
  return served(startedCommand([...START, ...args]));
}

/** A `sim start` in another process for all tests of a suite. It must print no error, and exit with 0. */
export function servingSuite(...args: readonly string[]): () => Serving {
  let command: Command | null = null;
  let server: Serving | null = null;
  beforeAll(async () => {
    command = new Command([...START, '--quiet', ...args]);
    server = await served(command);
  }, 30_000);
  afterAll(async () => {
    if (server === null) return void (await command?.endedBy('SIGKILL'));
    await server.stop();
    expect(server.command.stderr).toBe('');
  });
  return () => server ?? expect.fail('the simulator has not started');
}

export type Serving = Awaited<ReturnType<typeof served>>;

/** The child processes of a process. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Runs a simulator in its own process while `work` runs. */
export async function whileServing(
  args: readonly string[],
  work: (server: Serving) => Promise<void>,
): Promise<void> {
  const server = await serving('--quiet', ...args);
  await work(server);
  await server.stop();
}
