import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The packages that a queue needs, which users install. The tests use these versions. */
export const QUEUE_PACKAGES = { bullmq: '6.7.0', ioredis: '6.0.0' } as const;

export class QueuePackagesMissing extends Error {
  override readonly name = 'QueuePackagesMissing';
}

export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

export interface RedisClient {
  connect(): Promise<void>;
  info(section: string): Promise<string>;
  set(key: string, value: Buffer | string, ...expiry: readonly (string | number)[]): Promise<unknown>;
  getBuffer(key: string): Promise<Buffer | null>;
  mgetBuffer(...keys: readonly string[]): Promise<readonly (Buffer | null)[]>;
  unlink(...keys: readonly string[]): Promise<number>;
  hset(key: string, field: string, value: string): Promise<number>;
  hget(key: string, field: string): Promise<string | null>;
  hgetall(key: string): Promise<Record<string, string>>;
  scan(cursor: string, ...options: readonly (string | number)[]): Promise<[string, string[]]>;
  on(event: 'error' | 'ready', listener: (error: Error) => void): void;
  disconnect(): void;
}

interface QueueJob {
  readonly id?: string;
  readonly data: unknown;
}

interface BullOptions extends Readonly<Record<string, unknown>> {
  readonly connection: RedisClient;
  readonly prefix: string;
}

/** What queues, their events and their workers have in common. */
interface BullClient {
  on(event: 'error', listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

export interface BullMq {
  readonly Queue: new (
    name: string,
    options: BullOptions,
  ) => BullClient & {
    add(name: string, data: unknown, options: Readonly<Record<string, unknown>>): Promise<unknown>;
    getJob(id: string): Promise<{ getState(): Promise<string> } | undefined>;
    remove(id: string): Promise<number>;
    getWorkers(): Promise<readonly Readonly<Record<string, string>>[]>;
    getJobs(types: readonly string[]): Promise<readonly QueueJob[]>;
  };
  readonly QueueEvents: new (
    name: string,
    options: BullOptions,
  ) => BullClient & {
    on(
      event: 'completed' | 'failed' | 'stalled',
      listener: (event: { readonly jobId: string; readonly failedReason?: string }) => void,
    ): void;
  };
  readonly Worker: new (
    name: string,
    processor: (job: QueueJob) => Promise<unknown>,
    options: BullOptions,
  ) => BullClient;
}

type RedisConstructor = new (url: string, options: Readonly<Record<string, unknown>>) => RedisClient;

/** Loads the packages from this package's location or from the project in the working folder. Throws QueuePackagesMissing. */
export function queuePackages(): { bullmq: BullMq; Redis: RedisConstructor } {
  for (const place of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    const load = createRequire(place);
    try {
      const { Redis } = load('ioredis') as { Redis: RedisConstructor };
      return { bullmq: load('bullmq') as BullMq, Redis };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  const names = Object.entries(QUEUE_PACKAGES).map(([name, version]) => `${name}@${version}`);
  throw new QueuePackagesMissing(
    `--queue needs packages that are not installed. Install them and try again: npm install ${names.join(' ')}`,
  );
}
