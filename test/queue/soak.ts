import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueuedCampaigns } from '../../src/cli/queue/campaigns.js';
import { programVersion } from '../../src/cli/queue/options.js';
import { QueueConnection } from '../../src/testing/jobs/queue/connection.js';
import { Command } from '../cli/process.js';
import { RedisServer } from './redis-server.js';

const NAME = 'soak';
const PREFIX = 'soak';
const LOOK_MS = 1_000;

/** A long campaign. */
export interface SoakOptions {
  readonly runs: number;
  readonly seed: number;
  /** How often something is killed. */
  readonly killMs: number;
  readonly lease: string;
  /** The data of Redis and the counterexamples: a soak that was ended goes on with its folder. */
  readonly folder: string;
  /** Called after each kill, and at the end. */
  readonly onKill: (line: SoakLine) => void;
}

/** How far a soak is. */
export interface SoakLine {
  readonly seconds: number;
  readonly killed: string;
  readonly kills: number;
  readonly runs: number;
  readonly steps: number;
}

/** How a campaign has ended. */
export interface Soaked {
  readonly report: string;
  readonly stderr: string;
  /** Exit code of its coordinator: 1 when something was found. */
  readonly code: number | null;
  readonly line: SoakLine;
}

/** Two workers, a coordinator and a Redis, each of which may be killed, and is started again. */
class Soak {
  readonly #options: SoakOptions;
  readonly #server: RedisServer;
  readonly #connection: QueueConnection;
  readonly #begunMs = performance.now();
  readonly #workers: Command[];
  #coordinator: Command;
  #kills = 0;

  constructor(options: SoakOptions, server: RedisServer, connection: QueueConnection) {
    this.#options = options;
    this.#server = server;
    this.#connection = connection;
    this.#workers = [this.#worker(), this.#worker()];
    this.#coordinator = this.#started();
  }

  get #at(): readonly string[] {
    return ['--queue', this.#server.url, '--queue-prefix', PREFIX];
  }

  #worker(): Command {
    return new Command(['worker', ...this.#at, '--lease', this.#options.lease]);
  }

  #started(): Command {
    const { runs, seed, folder } = this.#options;
    const what = ['--runs', String(runs), '--seed', String(seed), '--name', NAME];
    return new Command(['fuzz', ...what, '--json', '--out', join(folder, 'failures'), ...this.#at]);
  }

  /** What is killed one after another; workers most of all. */
  get #victims(): readonly (readonly [string, () => Promise<void>])[] {
    const worker = (at: number) => async () => {
      this.#workers[at]?.kill('SIGKILL');
      this.#workers[at] = this.#worker();
    };
    const coordinator = async () => {
      await this.#coordinator.endedBy('SIGKILL');
      this.#coordinator = this.#started();
    };
    const redis = async () => {
      await this.#server.kill();
      await this.#server.start();
    };
    const workers = [
      ['worker 1', worker(0)],
      ['worker 2', worker(1)],
    ] as const;
    return [...workers, ['coordinator', coordinator], ...workers, ['Redis', redis]];
  }

  /** Plays the campaign to its end; gives its report. */
  async play(): Promise<Soaked> {
    const { killMs, onKill } = this.#options;
    let killedMs = performance.now();
    for (;;) {
      const coordinator = this.#coordinator;
      const code = await Promise.race([coordinator.ended(), sleep(LOOK_MS, undefined)]);
      if (code !== undefined) {
        const { stdout: report, stderr } = coordinator;
        return { report, stderr, code, line: await this.#line('nothing') };
      }
      if (performance.now() - killedMs < killMs) continue;
      const [name, kill] = this.#victims[this.#kills % this.#victims.length] ?? [
        'nothing',
        async () => undefined,
      ];
      await kill();
      this.#kills += 1;
      killedMs = performance.now();
      onKill(await this.#line(name));
    }
  }

  async stop(): Promise<void> {
    const commands = [...this.#workers, this.#coordinator];
    await Promise.all(commands.map((command) => command.endedBy('SIGKILL')));
    this.#connection.close();
    await this.#server.kill();
  }

  async #line(killed: string): Promise<SoakLine> {
    const { done: runs = 0, steps = 0 } = (await new QueuedCampaigns(this.#connection).find(NAME)) ?? {};
    const seconds = Math.round((performance.now() - this.#begunMs) / 1_000);
    return { seconds, killed, kills: this.#kills, runs, steps };
  }
}

/** Plays a campaign by two workers through Redis, while one of all processes after another is killed. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const data = join(options.folder, 'redis');
  mkdirSync(data, { recursive: true });
  const server = await RedisServer.in(data, '--appendfsync', 'everysec');
  const connection = await QueueConnection.open({
    url: server.url,
    prefix: PREFIX,
    version: programVersion(),
  });
  const playing = new Soak(options, server, connection);
  try {
    return await playing.play();
  } finally {
    await playing.stop();
  }
}
