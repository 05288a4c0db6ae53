// What a queue costs and gains: the same campaign by two processes of this machine, by two workers of a queue, and by one. Prints steps a
// second, and processor time for each thousand steps, which other work of the machine changes less.
//   npx tsx test/queue/compare.ts [runs] [rounds]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from '../cli/process.js';
import { RedisServer } from './redis-server.js';
import { usageOf } from './soak.js';
import { childrenOf } from './support.js';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
// A process takes about four seconds of the processor until it is as fast as it gets.
const runs = Number(process.argv[2] ?? 16_000);
const rounds = Number(process.argv[3] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'agent-bank-sim-compare-'));
const server = await RedisServer.start('--appendfsync', 'everysec');
let campaigns = 0;

interface Figures {
  /** Steps a second. */
  readonly rate: number;
  /** Milliseconds of processor time for a thousand steps, by all processes but Redis. */
  readonly cpuMs: number;
}

/** Processor seconds of processes and their children. */
function secondsOf(commands: readonly Command[]): number {
  const pids = commands.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
  return pids.reduce((sum, pid) => sum + (usageOf(pid)?.seconds ?? 0), 0);
}

/** Plays the campaign; `workers` play for it besides the command itself. */
async function played(more: readonly string[], workers: readonly Command[]): Promise<Figures> {
  const before = secondsOf(workers);
  const command = new Command(['fuzz', '--runs', `${runs}`, '--json', '--out', folder, ...more]);
  // The last figures of a process that ends are those of a moment before.
  let own = 0;
  const looking = setInterval(() => {
    own = Math.max(own, secondsOf([command]));
  }, 50);
  const code = await command.ended();
  clearInterval(looking);
  if (code !== 0) throw new Error(command.stderr);
  const { steps, seconds } = JSON.parse(command.stdout) as { steps: number; seconds: number };
  return { rate: steps / seconds, cpuMs: (1e6 * (own + secondsOf(workers) - before)) / steps };
}

/** Plays it by so many workers with a process each, each kept to a core if `isPinned`. */
async function queued(count: number, isPinned: boolean): Promise<Figures> {
  campaigns += 1;
  const at = ['--queue', server.url, '--queue-prefix', `compare-${campaigns}`];
  const workers = Array.from({ length: count }, () => new Command(['worker', ...at]));
  for (const [core, worker] of workers.entries()) {
    await worker.complained('sim: working for');
    if (isPinned) execFileSync('taskset', ['-acp', `${core}`, `${worker.pid}`], { stdio: 'ignore' });
  }
  try {
    return await played(at, workers);
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map((worker) => worker.ended()));
  }
}

const WAYS: Readonly<Record<string, () => Promise<Figures>>> = {
  'two processes of this machine': () => played(['--workers', '2'], []),
  'two workers of a queue': () => queued(2, false),
  'one worker kept to one core': () => queued(1, true),
  'two workers kept to one core each': () => queued(2, true),
};

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const all = new Map<string, Figures[]>(Object.keys(WAYS).map((name) => [name, []]));
// In turns, since the machine may have other work now and then.
for (let round = 0; round < rounds; round += 1)
  for (const [name, way] of Object.entries(WAYS)) all.get(name)?.push(await way());
const medians = new Map<string, Figures>();
for (const [name, figures] of all) {
  const [rate, cpuMs] = [median(figures.map((each) => each.rate)), median(figures.map((each) => each.cpuMs))];
  medians.set(name, { rate, cpuMs });
  process.stdout.write(
    `${name}: ${rate.toFixed(0)} steps a second, ${cpuMs.toFixed(0)} ms of processor time for 1,000 steps\n`,
  );
}
const [local, queue, one, two] = [...medians.values()];
if (local !== undefined && queue !== undefined && one !== undefined && two !== undefined) {
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(
    `overhead of the queue: ${percent(1 - queue.rate / local.rate)} of steps a second (at most 5 %)\n`,
  );
  process.stdout.write(
    `overhead of the queue: ${percent(queue.cpuMs / local.cpuMs - 1)} of processor time\n`,
  );
  process.stdout.write(`two workers are ${(two.rate / one.rate).toFixed(2)} times one (at least 1.7)\n`);
}
await server.stop();
rmSync(folder, { recursive: true });
process.exit();
