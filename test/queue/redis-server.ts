import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A Redis server of a test's own, on a free port, which writes every change to its disk. */
export class RedisServer {
  readonly #folder: string;
  readonly #options: readonly string[];
  readonly port: number;
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number, options: readonly string[]) {
    this.#folder = folder;
    this.port = port;
    this.#options = options;
  }

  static async start(...options: readonly string[]): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-redis-'));
    const server = new RedisServer(folder, await freePort(), options);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const kept = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', this.#folder];
    const place = ['--port', String(this.port), '--bind', '127.0.0.1'];
    const child = spawn('redis-server', [...place, '--save', '', ...kept, ...this.#options]);
    this.#process = child;
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => {
        printed += text.toString();
        if (printed.includes('Ready to accept connections')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`redis-server ended: ${printed}`)));
    });
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Ends it, and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
