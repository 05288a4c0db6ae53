import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { QueueConnection } from '../../testing/jobs/queue/connection.js';
import type { ProgressFigures } from '../progress.js';
import { UsageError } from '../usage.js';
import { type QueueArguments, connectQueue, programVersion } from './options.js';

/** The record of a campaign on a queue. Progress counts sequences of a fuzz campaign, scenarios, or runs of a study. */
export interface QueuedCampaign extends ProgressFigures {
  readonly name: string;
  readonly kind: 'fuzz' | 'scenarios' | 'study';
  /** Version of the program that started it. */
  readonly version: string;
  /** Equal for equal campaigns; the prefix of its job ids. */
  readonly key: string;
  readonly status: 'running' | 'interrupted' | 'finished' | 'cancelled';
  /** ISO 8601. */
  readonly begunAt: string;
  readonly changedAt: string;
  readonly steps: number;
}

/** How long a command that coordinates a campaign can be silent before another one may continue the campaign, in real milliseconds. */
const LEASE_MS = 5_000;
const RETRY_MS = 500;

export class QueuedCampaigns {
  readonly connection: QueueConnection;
  readonly #table: string;
  /** Identifies this command in the leases of campaigns. */
  readonly #command = randomUUID();

  constructor(connection: QueueConnection) {
    this.connection = connection;
    this.#table = connection.keyOf('campaigns');
  }

  /** Connects to a queue for some work. Rejects as `connectQueue` does. */
  static async with<T>(args: QueueArguments, work: (campaigns: QueuedCampaigns) => Promise<T>): Promise<T> {
    const connection = await connectQueue(args);
    try {
      return await work(new QueuedCampaigns(connection));
    } finally {
      connection.close();
    }
  }

  async all(): Promise<QueuedCampaign[]> {
    const rows = Object.values(await this.connection.redis.hgetall(this.#table));
    return rows
      .map((row) => JSON.parse(row) as QueuedCampaign)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(name: string): Promise<QueuedCampaign | null> {
    const row = await this.connection.redis.hget(this.#table, name);
    return row === null ? null : (JSON.parse(row) as QueuedCampaign);
  }

  /** Throws UsageError for an unknown name. */
  async get(name: string): Promise<QueuedCampaign> {
    const found = await this.find(name);
    if (found !== null) return found;
    const names = (await this.all()).map((each) => each.name);
    throw new UsageError(`there is no campaign ${name}; there are: ${names.join(', ') || 'none'}`);
  }

  /** Writes a record with the present time, and returns it. */
  async write(campaign: Omit<QueuedCampaign, 'changedAt'>): Promise<QueuedCampaign> {
    const row = { ...campaign, changedAt: new Date().toISOString() };
    await this.connection.redis.hset(this.#table, campaign.name, JSON.stringify(row));
    return row;
  }

  /** The merged results of a campaign; undefined if there are none. */
  results(name: string): Promise<unknown> {
    return this.connection.read(this.connection.keyOf('state', name));
  }

  writeResults(name: string, results: unknown): Promise<void> {
    return this.connection.write(this.connection.keyOf('state', name), results);
  }

  /** Deletes data that is needed only while a campaign runs. */
  async clear({ key }: QueuedCampaign): Promise<void> {
    await this.connection.deleteAll('value', key);
    await this.connection.deleteAll('result', key);
  }

  /** Takes or renews the lease of a campaign; false while another command has it. */
  async hold(name: string): Promise<boolean> {
    const { redis } = this.connection;
    const key = this.connection.keyOf('lease', name);
    const holder = await redis.getBuffer(key);
    if (holder !== null && holder.toString() !== this.#command) return false;
    const onlyNew = holder === null ? ['NX'] : [];
    return (await redis.set(key, this.#command, 'PX', LEASE_MS, ...onlyNew)) !== null;
  }

  /** Takes the lease, which a killed command leaves within seconds. Throws UsageError if another command goes on renewing it. */
  async #take(name: string): Promise<void> {
    const untilMs = performance.now() + LEASE_MS + RETRY_MS;
    while (!(await this.hold(name))) {
      if (performance.now() > untilMs)
        throw new UsageError(
          `another command coordinates the campaign ${name}: wait for its end, cancel it, or choose another --name`,
        );
      await setTimeout(RETRY_MS);
    }
  }

  /** Ends the lease that this command holds. */
  async release(name: string): Promise<void> {
    await this.connection.redis.unlink(this.connection.keyOf('lease', name));
  }

  /** Starts or continues the campaign of this name. Throws UsageError if that campaign has other options, another version, or a command that coordinates it. */
  async begin(
    campaign: Pick<QueuedCampaign, 'name' | 'kind' | 'key' | 'unit' | 'total'>,
  ): Promise<QueuedCampaign> {
    const { name, key } = campaign;
    const version = programVersion();
    const known = await this.find(name);
    if (known?.status === 'running' || known?.status === 'interrupted') {
      if (known.version !== version)
        throw new UsageError(
          `the campaign ${name} was started by version ${known.version}, and this is ${version}: continue it with that version, or run sim campaign cancel ${name}`,
        );
      if (known.key !== key)
        throw new UsageError(
          `the campaign ${name} has other options: continue it with the same options, cancel it, or choose another --name`,
        );
      await this.#take(name);
      return this.write({ ...known, status: 'running' });
    }
    await this.#take(name);
    if (known !== null) await this.clear(known);
    await this.connection.redis.unlink(this.connection.keyOf('state', name));
    const nothing = { done: 0, rate: 0, found: 0, coverage: null, secondsLeft: null, steps: 0 };
    const begunAt = new Date().toISOString();
    return this.write({ ...campaign, ...nothing, begunAt, version, status: 'running' });
  }
}
