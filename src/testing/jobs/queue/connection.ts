import { type BullMq, QueueUnavailable, type RedisClient, queuePackages } from './packages.js';
import type { JobOutcome } from '../job-runner.js';
import { outcomeIn, packed, unpacked } from './packing.js';

export interface QueueAddress {
  /** `redis://` or `rediss://`, with user and password as needed. */
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** The version of the program: workers only take jobs of their own version. */
  readonly version: string;
}

const CONNECT_MS = 5_000;
/** Limits for the server to connect and to respond for the first time. */
const RESPONSE_MS = 15_000;
const MOST_RETRY_MS = 2_000;
/** How long the result of a job is kept that does not state it. */
const RESULT_SECONDS = 7 * 86_400;

/** The address without its password. */
export function shownUrl(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Why a server cannot be used, with a remedy for a certificate of an unknown authority. */
function reasonOf({ message, code = '' }: Error & { readonly code?: string }): string {
  const isUnknown = /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code);
  return isUnknown ? `${message}; NODE_EXTRA_CA_CERTS=FILE names a CA of your own` : message;
}

/** A connection to a queue's server, and the values stored there. */
export class QueueConnection {
  readonly bullmq: BullMq;
  readonly redis: RedisClient;
  readonly address: QueueAddress;
  /** Called when the connection was lost, or is back. Null by default. */
  onTrouble: ((text: string) => void) | null = null;
  #trouble: string | null = null;

  private constructor(address: QueueAddress, bullmq: BullMq, redis: RedisClient) {
    this.address = address;
    this.bullmq = bullmq;
    this.redis = redis;
  }

  /** Rejects with QueueUnavailable, also when the server may lose jobs, or with QueuePackagesMissing. */
  static async open(address: QueueAddress): Promise<QueueConnection> {
    const { bullmq, Redis } = queuePackages();
    const state = { isOpen: false, error: null as Error | null };
    const redis = new Redis(address.url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      maxRetriesPerRequest: null,
      // Waits for a server that restarts, but not for one that was never reachable.
      retryStrategy: (times: number) => (state.isOpen ? Math.min(100 * times, MOST_RETRY_MS) : null),
    });
    const connection = new QueueConnection(address, bullmq, redis);
    redis.on('error', (error) => {
      state.error ??= error;
      connection.trouble(error);
    });
    redis.on('ready', () => connection.#recovered());
    const silent = setTimeout(() => {
      state.error ??= new Error(`the server did not respond within ${RESPONSE_MS / 1_000} s`);
      redis.disconnect();
    }, RESPONSE_MS);
    try {
      await redis.connect();
      const memory = await redis.info('memory');
      const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(memory) ?? [];
      if (policy !== 'noeviction')
        throw new Error(`the server may drop jobs: set maxmemory-policy to noeviction instead of ${policy}`);
    } catch (error) {
      redis.disconnect();
      const reason = reasonOf(state.error ?? (error as Error));
      throw new QueueUnavailable(`the queue at ${shownUrl(address.url)} cannot be used: ${reason}`);
    } finally {
      clearTimeout(silent);
    }
    state.isOpen = true;
    return connection;
  }

  get queue(): string {
    return `jobs-${this.address.version}`;
  }

  get options(): { connection: RedisClient; prefix: string } {
    return { connection: this.redis, prefix: this.address.prefix };
  }

  keyOf(...parts: readonly string[]): string {
    return [this.address.prefix, ...parts].join(':');
  }

  /** Reports an error of the server once until it is resolved. */
  trouble({ message }: Error): void {
    if (this.#trouble === message) return;
    this.#trouble = message;
    this.onTrouble?.(`the queue at ${shownUrl(this.address.url)}: ${message}`);
  }

  #recovered(): void {
    if (this.#trouble !== null) this.onTrouble?.(`the queue at ${shownUrl(this.address.url)} is back`);
    this.#trouble = null;
  }

  async write(key: string, value: unknown): Promise<void> {
    await this.redis.set(key, packed(value));
  }

  async read(key: string): Promise<unknown> {
    const bytes = await this.redis.getBuffer(key);
    return bytes === null ? undefined : unpacked(bytes);
  }

  async writeResult(job: string, outcome: unknown, keptSeconds = RESULT_SECONDS): Promise<void> {
    await this.redis.set(this.resultKey(job), packed(outcome), 'EX', keptSeconds);
  }

  /** The results of jobs: undefined for a job without one, `crashed` for an unreadable one. */
  async readResults(jobs: readonly string[]): Promise<readonly (JobOutcome | undefined)[]> {
    if (jobs.length === 0) return [];
    const all = await this.redis.mgetBuffer(...jobs.map((job) => this.resultKey(job)));
    return all.map((bytes) => (bytes === null ? undefined : outcomeIn(bytes)));
  }

  resultKey(job: string): string {
    return this.keyOf('result', job);
  }

  /** Deletes all keys with this prefix. */
  async deleteAll(...parts: readonly string[]): Promise<void> {
    const pattern = `${this.keyOf(...parts).replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`;
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
      if (keys.length > 0) await this.redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  }

  close(): void {
    this.redis.disconnect();
  }
}
