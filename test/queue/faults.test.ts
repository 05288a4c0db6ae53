import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { programVersion } from '../../src/cli/queue/options.js';
import { campaignBy } from '../../src/testing/fuzz-campaign.js';
import { type Summary, findsOf } from '../../src/testing/fuzz-library.js';
import type { JobRunner } from '../../src/testing/jobs/job-runner.js';
import { ProcessRunner } from '../../src/testing/jobs/process-runner.js';
import { startedRunner } from '../../src/testing/jobs/queue/queue-runner.js';
import { type Command, MAIN, childrenOf, run } from '../cli/process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { RedisServer } from './redis-server.js';
import { connected, ownPrefix, ownQueue, program, redisUrl, worker } from './support.js';

/** Long enough that what a test does to it finds it running. */
const RUNS = 400;
const FUZZ = ['fuzz', '--runs', `${RUNS}`, '--seed', '3', '--json'];

/** What a command has reported, without its duration. */
function reportOf({ stdout }: { readonly stdout: string }): string {
  return stdout.replace(/"seconds":[\d.]+/, '');
}

/** A queue of a test's own with a campaign. */
function queue(url = redisUrl()) {
  const own = ownQueue(url);
  const out = join(temporaryFolder(), 'failures');
  return { ...own, fuzz: (...more: string[]) => own.started([...FUZZ, '--out', out, ...more]) };
}

/** Follows the jobs of a queue from now on. */
async function jobsOf({ prefix }: ReturnType<typeof queue>, url = redisUrl()) {
  const { bullmq, queue: name, options } = await connected(prefix, { url, version: programVersion(MAIN) });
  const events = new bullmq.QueueEvents(name, options);
  onTestFinished(() => events.close());
  // A Redis that is killed.
  events.on('error', () => undefined);
  await events.waitUntilReady();
  const silent = new Set<string>();
  events.on('stalled', ({ jobId }) => silent.add(jobId));
  /** Resolves when a job that fulfils the condition is done; rejects when the command ends before. */
  const until = async (command: Command, condition: (jobId: string) => boolean) => {
    const done = new Promise<'done'>((resolve) => {
      events.on('completed', ({ jobId }) => {
        if (condition(jobId)) resolve('done');
      });
    });
    expect(await Promise.race([done, command.ended()])).toBe('done');
  };
  return {
    another: (command: Command) => until(command, () => true),
    /** Another worker has done the job of a silent one. */
    takenOver: (command: Command) => until(command, (jobId) => silent.has(jobId)),
  };
}

describe('a campaign on a queue reports as one on this machine', () => {
  let local = '';
  beforeAll(async () => {
    const ended = await run(...FUZZ, '--out', join(tmpdir(), `none-${process.pid}`));
    expect(ended.code).toBe(0);
    local = reportOf(ended);
  }, 120_000);

  /** Ends a campaign and compares its report. */
  async function sameAs(command: Command): Promise<void> {
    expect(await command.ended(), command.stderr).toBe(0);
    expect(reportOf(command)).toBe(local);
  }

  it.each([[[1]], [[2, 2]]])('by workers with %j processes', async (workers) => {
    const here = queue();
    for (const concurrency of workers) await here.worker(concurrency);
    await sameAs(here.fuzz());
    expect((await here.campaign('list')).stdout).toMatch(
      new RegExp(`^fuzz {2}finished {2}${RUNS} of ${RUNS} runs`),
    );
    const { stdout } = await here.campaign('report', 'fuzz');
    expect(stdout).toMatch(new RegExp(`^Every rule held in ${RUNS} runs`));
  });

  it('while workers are killed and replaced', async () => {
    const here = queue();
    let [one, two] = [await here.worker(), await here.worker()];
    const jobs = await jobsOf(here);
    const command = here.fuzz();
    for (const _ of [1, 2, 3]) {
      await jobs.another(command);
      one.kill('SIGKILL');
      [one, two] = [two, await here.worker()];
    }
    await sameAs(command);
  });

  it('after its coordinator was killed and the same command was run again', async () => {
    const here = queue();
    await here.worker(2);
    const jobs = await jobsOf(here);
    const first = here.fuzz();
    await jobs.another(first);
    expect(await first.endedBy('SIGKILL')).not.toBe(0);
    await sameAs(here.fuzz());
  });

  it('after its coordinator was interrupted', async () => {
    const here = queue();
    await here.worker(2);
    const jobs = await jobsOf(here);
    const first = here.fuzz();
    await jobs.another(first);
    const { stdout: status } = await here.campaign('status', 'fuzz', '--json');
    expect(JSON.parse(status)).toMatchObject({ unit: 'runs', total: RUNS, found: 0, processes: 2 });
    expect(Object.keys(JSON.parse(status) as object)).toEqual(
      expect.arrayContaining(['done', 'rate', 'coverage', 'secondsLeft', 'steps']),
    );
    expect(await first.endedBy('SIGINT')).toBe(130);
    expect((await here.campaign('list')).stdout).toMatch(/^fuzz {2}interrupted/);
    await sameAs(here.fuzz());
  });

  it('after its Redis was killed and started again', async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const here = queue(server.url);
    await here.worker(2);
    const jobs = await jobsOf(here, server.url);
    const command = here.fuzz();
    await jobs.another(command);
    await server.kill();
    await command.complained('sim: the queue at redis:');
    await server.start();
    await sameAs(command);
    expect(command.stderr).toMatch(/sim: the queue at redis:.* is back/);
  });

  it('after a worker was stopped for longer than its lease, whose late results count once', async () => {
    const here = queue();
    const stopped = await here.worker();
    const jobs = await jobsOf(here);
    const command = here.fuzz();
    await jobs.another(command);
    const processes = [stopped.pid, ...childrenOf(stopped.pid)];
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    await here.worker();
    await jobs.takenOver(command);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    await sameAs(command);
  });

  it('when a worker is drained by SIGTERM and another takes over', async () => {
    const here = queue();
    const first = await here.worker(2);
    const jobs = await jobsOf(here);
    const command = here.fuzz();
    await jobs.another(command);
    expect(await first.endedBy('SIGTERM')).toBe(0);
    expect(first.stderr).toMatch(/sim: ended after \d+ jobs/);
    await here.worker(2);
    await sameAs(command);
  });
});

it('a range that ends its process three times is reported with its seed, counterexamples are shrunk by jobs, as on this machine', async () => {
  const played = (runner: JobRunner) =>
    campaignBy(
      { runner, key: 'lying' },
      { runs: 40, steps: 188, seed: 3, weights: { overlap: 0 }, maxFinds: Infinity },
      () => undefined,
    );
  const local = new ProcessRunner({ ...program('lying-program.ts'), count: 1 });
  const expected = await played(local);
  await local.close();
  const connection = await connected(ownPrefix());
  await worker(connection, 'lying-program.ts');
  const runner = await startedRunner(connection);
  const summary = await played(runner);
  await runner.close();
  const untimed = (of: Summary) => JSON.stringify({ ...of, seconds: 0 });
  expect(untimed(summary)).toBe(untimed(expected));
  expect(summary.crashed).toEqual([
    expect.objectContaining({ what: 'playing', seed: 3, first: 24, end: 32 }) as unknown,
  ]);
  expect(findsOf(summary).length).toBeGreaterThan(2);
});

describe('a queue', () => {
  it('has no jobs for a worker of another version, nor a campaign for another coordinator', async () => {
    const here = queue();
    const connection = await connected(here.prefix);
    const counts = { done: 0, steps: 0 };
    const row = { name: 'fuzz', kind: 'fuzz', version: '0.0.9-old', key: 'k', status: 'running', ...counts };
    await connection.redis.hset(connection.keyOf('campaigns'), 'fuzz', JSON.stringify(row));
    const late = here.started(['worker']);
    expect(await late.ended()).toBe(2);
    expect(late.stderr).toContain('the campaign fuzz has version 0.0.9-old, this worker has 0.1.0-');
    expect(late.stderr).toContain('all campaigns have other versions');
    const other = here.fuzz();
    expect(await other.ended()).toBe(2);
    expect(other.stderr).toMatch(/was started by version 0\.0\.9-old, and this is 0\.1\.0-/);
  });

  it('refuses to go on with a campaign of other options, and ends a cancelled one', async () => {
    const here = queue();
    const command = here.fuzz();
    await command.complained('the queue has no worker yet');
    const other = here.fuzz('--path', '50');
    expect(await other.ended()).toBe(2);
    expect(other.stderr).toContain('the campaign fuzz has other options');
    expect(await here.campaign('cancel', 'fuzz')).toMatchObject({ code: 0, stdout: 'cancelled fuzz\n' });
    expect(await command.ended()).toBe(1);
    expect(JSON.parse(command.stdout)).toMatchObject({ runs: 0, interrupted: 'sim campaign cancel' });
    expect(await here.campaign('status', 'nothing')).toMatchObject({ code: 2 });
  });

  it('that cannot be reached, refuses the password, may lose jobs or is full ends the command with one line', async () => {
    const server = await RedisServer.start('--requirepass', 'secret');
    onTestFinished(() => server.stop());
    const withPassword = server.url.replace('//', '//:secret@');
    const failed = async (url: string, code: number, line: RegExp) => {
      const command = queue(url).fuzz();
      expect(await command.ended()).toBe(code);
      expect(command.stderr).toMatch(line);
      expect(command.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(command.stderr).not.toContain('secret');
      expect(command.stdout).toBe('');
    };
    const full = await RedisServer.start('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    onTestFinished(() => full.stop());
    const lossy = await RedisServer.start('--maxmemory-policy', 'allkeys-lru', '--maxmemory', '100mb');
    onTestFinished(() => lossy.stop());
    const dropping = /may drop jobs: set maxmemory-policy to noeviction instead of allkeys-lru/;
    await Promise.all([
      failed(
        'redis://127.0.0.1:1',
        1,
        /^sim: the queue at redis:\/\/127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
      ),
      failed(server.url.replace('//', '//:wrong@'), 1, /cannot be used: WRONGPASS/),
      failed(server.url, 1, /cannot be used: NOAUTH/),
      failed('localhost:6379', 2, /^sim: --queue: expected a URL/),
      failed(full.url, 1, /OOM|memory/),
      failed(lossy.url, 1, dropping),
    ]);
    const open = await run('campaign', 'list', '--queue', withPassword);
    expect(open).toMatchObject({ code: 0, stdout: 'no campaigns\n' });
  });

  it('needs packages that are named when they are missing', async () => {
    const before = process.cwd();
    process.chdir('/');
    onTestFinished(() => process.chdir(before));
    const { code, stderr } = await run('campaign', 'list', '--queue', redisUrl());
    expect(stderr).toMatch(
      /^sim: --queue needs packages that are not installed.*npm install bullmq@6\.7\.0 ioredis@6\.0\.0\n$/,
    );
    expect(code).toBe(2);
  });
});
