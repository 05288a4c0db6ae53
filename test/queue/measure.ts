// What a queue costs besides playing: a real coordinator and a hundred workers that only sleep and return a range that was played once.
//   npx tsx test/queue/measure.ts [ranges]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { QueuedCampaigns } from '../../src/cli/queue/campaigns.js';
import { programVersion } from '../../src/cli/queue/options.js';
import { fuzzJobs } from '../../src/testing/fuzz-campaign.js';
import { RANGE, type RangeJob } from '../../src/testing/fuzz/campaign/campaign-jobs.js';
import type { RangeResult } from '../../src/testing/fuzz/campaign/range-player.js';
import { QueueConnection } from '../../src/testing/jobs/queue/connection.js';
import { workerName } from '../../src/testing/jobs/queue/queue-runner.js';
import type { JobOutcome } from '../../src/testing/jobs/job-runner.js';
import { RedisServer } from './redis-server.js';
import { childrenOf } from './support.js';

const WORKERS = 100;
const SLEEP_MS = 250;
const RUNS = 25;

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
const ranges = Number(process.argv[2] ?? 2_000);
const server = await RedisServer.start('--appendfsync', 'everysec');
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const connection = await QueueConnection.open({
  url: server.url,
  prefix: 'measure',
  version: programVersion(MAIN),
});

let played: Promise<unknown> | undefined;
const jobs = fuzzJobs();

/** A range that was played once, as if it were another. */
async function resultOf({ campaign, first, end, maxFinds }: RangeJob): Promise<JobOutcome> {
  played ??= jobs.table[RANGE]?.(
    { campaign, first, end, maxFinds },
    {
      shared: (key) => connection.read(connection.valueKey(key)),
      begin: () => undefined,
      signal: new AbortController().signal,
    },
  );
  return { kind: 'done', result: { ...((await played) as RangeResult), next: end } };
}

for (let number = 0; number < WORKERS; number += 1) {
  const work = async ({ id = '', data }: { id?: string; data: unknown }) => {
    await sleep(SLEEP_MS);
    await connection.writeResult(id, await resultOf((data as { data: RangeJob }).data));
  };
  const name = workerName('measure', number, 1);
  const worker = new connection.bullmq.Worker(connection.queue, work, {
    ...connection.options,
    name,
    concurrency: 1,
  });
  worker.on('error', ({ message }) => process.stderr.write(`${message}\n`));
}

const at = ['--queue', server.url, '--queue-prefix', 'measure'];

/** Has the coordinator say, at SIGUSR2, how much it holds when all garbage is collected. */
const HEAP = `process.on('SIGUSR2', () => {
  gc();
  process.stderr.write('heap ' + process.memoryUsage().heapUsed + '\\n');
});`;

/** A coordinator's processor time in ms, its memory in MB and its seconds. */
interface Taken {
  readonly cpuMs: number;
  readonly mb: number;
  readonly seconds: number;
}

/** Runs a coordinator. `look` is called with it every second. */
async function coordinator(count: number, look: (child: ChildProcess) => Promise<void>): Promise<Taken> {
  const begunMs = performance.now();
  const node = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(HEAP)}`];
  const fuzz = [MAIN, 'fuzz', '--name', `m${count}`, '--runs', String(count * RUNS), ...at];
  const timed = ['-f', 'measured %U %S %M', process.execPath, ...node, ...fuzz];
  const child = spawn('/usr/bin/time', timed, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
    for (const [, bytes] of part.toString().matchAll(/^heap (\d+)$/gm)) heaps.push(Number(bytes) / 1e6);
  });
  const closed = once(child, 'close');
  while ((await Promise.race([closed, sleep(1_000, null)])) === null) await look(child);
  const [, user, system, kb] = /measured ([\d.]+) ([\d.]+) (\d+)/.exec(text) ?? [];
  const seconds = (performance.now() - begunMs) / 1_000;
  return { cpuMs: 1_000 * (Number(user) + Number(system)), mb: Number(kb) / 1_000, seconds };
}

/** A figure of the server. */
async function figure(section: string, name: string): Promise<number> {
  return Number(new RegExp(`${name}[:=]([\\d.]+)`).exec(await connection.redis.info(section))?.[1]);
}

const heaps: number[] = [];
/** When Redis held most: how many keys, and how much of it was for clients and for the disk. */
const most = { bytes: 0, keys: 0, clients: 0, unwritten: 0 };
const SHARES = [0.02, 0.1, 0.25, 0.5, 0.75, 0.95];

/** Prints what there is when a campaign has done some shares of its ranges. */
function looking(count: number): (child: ChildProcess) => Promise<void> {
  const shares = [...SHARES];
  return async ({ pid = 0 }) => {
    const bytes = await figure('memory', 'used_memory');
    if (bytes > most.bytes)
      Object.assign(most, {
        bytes,
        keys: await figure('keyspace', 'keys'),
        clients: await figure('memory', 'mem_clients_normal'),
        unwritten: await figure('memory', 'mem_aof_buffer'),
      });
    const { done = 0 } = (await new QueuedCampaigns(connection).find(`m${count}`)) ?? {};
    const merged = done / RUNS;
    if (merged < (shares[0] ?? 1) * count) return;
    shares.shift();
    const [node] = childrenOf(pid);
    if (node === undefined) return;
    process.kill(node, 'SIGUSR2');
    await sleep(500);
    const [redisMb, keys] = [(await figure('memory', 'used_memory')) / 1e6, await figure('keyspace', 'keys')];
    process.stdout.write(
      `after ${merged} ranges: coordinator ${heaps.at(-1)?.toFixed(1)} MB after gc, Redis ${redisMb.toFixed(1)} MB, ${keys} keys\n`,
    );
  };
}

const redisMs = async () =>
  1_000 * ((await figure('cpu', 'used_cpu_user')) + (await figure('cpu', 'used_cpu_sys')));
const small = await coordinator(100, async () => undefined);
const before = { redisMs: await redisMs(), in: await figure('stats', 'total_net_input_bytes') };
const large = await coordinator(100 + ranges, looking(100 + ranges));
const rows = {
  ranges,
  'coordinator, ms of processor time a range': (large.cpuMs - small.cpuMs) / ranges,
  'coordinator, MB at most, 100 ranges': small.mb,
  'coordinator, MB at most, all': large.mb,
  'Redis, ms of processor time a range': ((await redisMs()) - before.redisMs) / (ranges + 100),
  'Redis, bytes received a range':
    ((await figure('stats', 'total_net_input_bytes')) - before.in) / (ranges + 100),
  'Redis, MB at most': (await figure('memory', 'used_memory_peak')) / 1e6,
  'Redis, MB when it held most, looked at every second': most.bytes / 1e6,
  'of these MB for clients': most.clients / 1e6,
  'of these MB not yet on the disk': most.unwritten / 1e6,
  'keys then': most.keys,
  'ranges a second': (ranges + 100) / large.seconds,
};
for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name}: ${value.toFixed(2)}\n`);
await server.stop();
process.exit();
