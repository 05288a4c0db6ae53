import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programVersion } from '../../src/cli/queue/options.js';
import { QueueConnection } from '../../src/testing/jobs/queue/connection.js';
import { type QueueWorkerOptions, openWorker } from '../../src/testing/jobs/queue/queue-worker.js';
import { type Command, startedCommand } from '../cli/process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let prefixes = 0;

/** A prefix that no other test uses. */
export function ownPrefix(): string {
  prefixes += 1;
  return `test-${process.pid}-${Date.now()}-${prefixes}`;
}

/** Where the tests' Redis is. */
export function redisUrl(): string {
  return process.env['REDIS_URL'] ?? '';
}

/** Connects until the test ends: as a program of this version, by default the sources. */
export async function connected(
  prefix: string,
  { url = redisUrl(), version = programVersion() } = {},
): Promise<QueueConnection> {
  const connection = await QueueConnection.open({ url, prefix, version });
  onTestFinished(() => connection.close());
  return connection;
}

/** The processes of a program of the tests. */
export function program(name: string): Pick<QueueWorkerOptions, 'program' | 'args' | 'execArgv'> {
  const file = fileURLToPath(new URL(name, import.meta.url));
  return { program: file, args: ['serve'], execArgv: ['--import', 'tsx'] };
}

/** A worker in this process, whose jobs are those of a program. */
export async function worker(
  connection: QueueConnection,
  name: string,
  concurrency = 2,
): ReturnType<typeof openWorker> {
  const opened = await openWorker(connection, { ...program(name), concurrency, leaseMs: 2_000 });
  onTestFinished(() => opened.close());
  return opened;
}

/** A queue of a test's own, and commands that use it. Its workers have a short lease. */
export function ownQueue(url = redisUrl(), env: Record<string, string> = {}) {
  const prefix = ownPrefix();
  const started = (args: readonly string[], cwd = process.cwd()) =>
    startedCommand([...args, '--queue', url, '--queue-prefix', prefix], env, { cwd });
  return {
    prefix,
    started,
    worker: async (concurrency = 1, cwd?: string): Promise<Command> => {
      const command = started(['worker', '--lease', '2s', '--concurrency', String(concurrency)], cwd);
      await command.complained('sim: working for');
      return command;
    },
    campaign: async (...words: readonly string[]) => {
      const command = started(['campaign', ...words]);
      return { code: await command.ended(), stdout: command.stdout };
    },
  };
}

/** Seven jobs: enough that a test can disturb a campaign while it runs. */
export const RUNS = 175;
export const FUZZ = ['fuzz', '--runs', `${RUNS}`, '--seed', '3', '--json'];

/** A queue of a test's own with a campaign. */
export function ownCampaign(url = redisUrl()) {
  const own = ownQueue(url);
  const out = join(temporaryFolder(), 'failures');
  return { ...own, fuzz: (...more: string[]) => own.started([...FUZZ, '--out', out, ...more]) };
}
