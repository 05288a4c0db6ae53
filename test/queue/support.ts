import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { programVersion } from '../../src/cli/queue/options.js';
import { QueueConnection } from '../../src/testing/jobs/queue/connection.js';
import { QueueWorker, type QueueWorkerOptions } from '../../src/testing/jobs/queue/queue-worker.js';
import { Command } from '../cli/process.js';

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

/** Connects until the test ends. */
export async function connected(prefix: string): Promise<QueueConnection> {
  const connection = await QueueConnection.open({ url: redisUrl(), prefix, version: programVersion() });
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
): Promise<QueueWorker> {
  const opened = await QueueWorker.open(connection, { ...program(name), concurrency, leaseMs: 2_000 });
  onTestFinished(() => opened.close());
  return opened;
}

/** A running command, ended with the test. */
export function started(...args: readonly string[]): Command {
  const command = new Command(args);
  onTestFinished(async () => {
    command.kill('SIGCONT');
    command.kill('SIGKILL');
    await command.ended();
  });
  return command;
}

/** The child processes of a process. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
