import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { COMMAND_FILE, packageVersion } from '../../core/package-root.js';
import { QueueConnection } from '../../testing/jobs/queue/connection.js';
import { UsageError } from '../usage.js';

export interface QueueArguments {
  readonly queue: string;
  readonly queuePrefix: string;
}

/**
 * The version of this build: a digest of the main file, which names all other files by content. A worker and its coordinator must have the same version, or their results would differ.
 */
export function programVersion(program: string = COMMAND_FILE): string {
  const build = createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 8);
  return `${packageVersion()}-${build}`;
}

/** Throws UsageError for a text that is not fit for keys in Redis and ids of jobs. */
export function checkKeyPart(option: string, text: string): void {
  if (!/^[\w.-]+$/.test(text))
    throw new UsageError(`${option} ${text}: expected letters, digits, dots, dashes and underscores`);
}

/** Connects to a queue. Throws UsageError for an invalid URL, QueuePackagesMissing, and QueueUnavailable. */
export async function connectQueue({ queue, queuePrefix }: QueueArguments): Promise<QueueConnection> {
  if (!URL.canParse(queue) || !['redis:', 'rediss:'].includes(new URL(queue).protocol))
    throw new UsageError('--queue: expected a URL such as redis://127.0.0.1:6379 or rediss://:password@host');
  checkKeyPart('--queue-prefix', queuePrefix);
  const connection = await QueueConnection.open({
    url: queue,
    prefix: queuePrefix,
    version: programVersion(),
  });
  connection.onTrouble = (text) => process.stderr.write(`sim: ${text}\n`);
  return connection;
}
