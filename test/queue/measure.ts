// What a queue costs besides playing: a real coordinator and a hundred workers that only sleep and return a chunk that was played once.
//   npx tsx test/queue/measure.ts [chunks]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programVersion } from '../../src/cli/queue/options.js';
import { fuzzJobs } from '../../src/testing/fuzz-campaign.js';
import { CHUNK, type ChunkJob } from '../../src/testing/fuzz/campaign/campaign-jobs.js';
import type { ChunkResult } from '../../src/testing/fuzz/campaign/chunk-player.js';
import { QueueConnection } from '../../src/testing/jobs/queue/connection.js';
import { workerName } from '../../src/testing/jobs/queue/queue-runner.js';
import type { JobOutcome } from '../../src/testing/jobs/job-runner.js';
import { RedisServer } from './redis-server.js';

const WORKERS = 100;
const SLEEP_MS = 250;
const RUNS = 25;

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
const chunks = Number(process.argv[2] ?? 2_000);
const server = await RedisServer.start('--appendfsync', 'everysec');
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const connection = await QueueConnection.open({
  url: server.url,
  prefix: 'measure',
  version: programVersion(MAIN),
});

let played: Promise<unknown> | undefined;
const jobs = fuzzJobs();

/** A chunk that was played once, as if it were another. */
async function chunkOf({ chunk, campaign, first, maxFinds }: ChunkJob): Promise<JobOutcome> {
  played ??= jobs.table[CHUNK]?.(
    { campaign, chunk, first, maxFinds },
    {
      shared: (key) => connection.read(connection.valueKey(key)),
      begin: () => undefined,
      signal: new AbortController().signal,
    },
  );
  const template = (await played) as ChunkResult;
  const result = { ...template, corpus: chunk % 10 === 0 ? template.corpus : [], next: (chunk + 1) * RUNS };
  return { kind: 'done', result };
}

for (let number = 0; number < WORKERS; number += 1) {
  const work = async ({ id = '', data }: { id?: string; data: unknown }) => {
    await sleep(SLEEP_MS);
    await connection.writeResult(id, await chunkOf((data as { data: ChunkJob }).data));
  };
  const name = workerName('measure', number, 1);
  const worker = new connection.bullmq.Worker(connection.queue, work, {
    ...connection.options,
    name,
    concurrency: 1,
  });
  worker.on('error', ({ message }) => process.stderr.write(`${message}\n`));
}

const at = ['--queue', server.url, '--queue-prefix', 'measure', '--no-known'];

/** Runs a coordinator; gives its processor time in ms, its memory in MB and its seconds. */
async function coordinator(count: number): Promise<{ cpuMs: number; mb: number; seconds: number }> {
  const begunMs = performance.now();
  const fuzz = [MAIN, 'fuzz', '--name', `m${count}`, '--runs', String(count * RUNS), ...at];
  const child = spawn('/usr/bin/time', ['-f', 'measured %U %S %M', process.execPath, ...fuzz]);
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  await once(child, 'close');
  const [, user, system, kb] = /measured ([\d.]+) ([\d.]+) (\d+)/.exec(text) ?? [];
  const seconds = (performance.now() - begunMs) / 1_000;
  return { cpuMs: 1_000 * (Number(user) + Number(system)), mb: Number(kb) / 1_000, seconds };
}

/** A figure of the server. */
async function figure(section: string, name: string): Promise<number> {
  return Number(new RegExp(`${name}:([\\d.]+)`).exec(await connection.redis.info(section))?.[1]);
}

const redisMs = async () =>
  1_000 * ((await figure('cpu', 'used_cpu_user')) + (await figure('cpu', 'used_cpu_sys')));
const small = await coordinator(100);
const before = { redisMs: await redisMs(), in: await figure('stats', 'total_net_input_bytes') };
const large = await coordinator(100 + chunks);
const rows = {
  chunks,
  'coordinator, ms of processor time a chunk': (large.cpuMs - small.cpuMs) / chunks,
  'coordinator, MB at most, 100 chunks': small.mb,
  'coordinator, MB at most, all': large.mb,
  'Redis, ms of processor time a chunk': ((await redisMs()) - before.redisMs) / (chunks + 100),
  'Redis, bytes received a chunk':
    ((await figure('stats', 'total_net_input_bytes')) - before.in) / (chunks + 100),
  'Redis, MB at most': (await figure('memory', 'used_memory_peak')) / 1e6,
  'chunks a second': (chunks + 100) / large.seconds,
};
for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name}: ${value.toFixed(2)}\n`);
await server.stop();
process.exit();
