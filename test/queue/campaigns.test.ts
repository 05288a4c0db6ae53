import { describe, expect, it, onTestFinished } from 'vitest';
import { campaignBy } from '../../src/testing/fuzz-campaign.js';
import { type Summary, findsOf } from '../../src/testing/fuzz-library.js';
import type { JobRunner } from '../../src/testing/jobs/job-runner.js';
import { ProcessRunner } from '../../src/testing/jobs/process-runner.js';
import { QueueRunner } from '../../src/testing/jobs/queue/queue-runner.js';
import { run } from '../cli/process.js';
import { RedisServer } from './redis-server.js';
import { RUNS, connected, ownCampaign, ownPrefix, program, redisUrl, worker } from './support.js';

it('a range that ends its process three times is reported with its seed, counterexamples are shrunk by jobs, as on this machine', async () => {
  const played = (runner: JobRunner) =>
    campaignBy(
      { runner, key: 'lying' },
      { runs: 24, steps: 188, seed: 3, weights: { overlap: 0 }, maxFinds: Infinity },
      () => undefined,
    );
  const local = new ProcessRunner({ ...program('lying-program.ts'), count: 1 });
  const expected = await played(local);
  await local.close();
  const connection = await connected(ownPrefix());
  await worker(connection, 'lying-program.ts');
  const runner = await QueueRunner.start(connection);
  const summary = await played(runner);
  await runner.close();
  const untimed = (of: Summary) => JSON.stringify({ ...of, seconds: 0 });
  expect(untimed(summary)).toBe(untimed(expected));
  expect(summary.crashed).toEqual([
    expect.objectContaining({ what: 'playing', seed: 3, first: 8, end: 16 }) as unknown,
  ]);
  expect(summary.runs).toBe(16);
  expect(findsOf(summary).length).toBeGreaterThan(2);
});

describe('a queue', () => {
  it('has no jobs for a worker of another version, nor a campaign for another coordinator', async () => {
    const here = ownCampaign();
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
    const here = ownCampaign();
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

  it('refuses a second command for a campaign that one coordinates, and lets the first go on', async () => {
    const here = ownCampaign();
    const first = here.fuzz();
    await first.complained('the queue has no worker yet');
    const second = here.fuzz();
    expect(await second.ended()).toBe(2);
    expect(second.stderr).toContain('another command coordinates the campaign fuzz: wait for its end');
    await here.worker(2);
    expect(await first.ended()).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ runs: RUNS, interrupted: null });
  });

  it('that cannot be reached, refuses the password, may lose jobs or is full ends the command with one line', async () => {
    const server = await RedisServer.start('--requirepass', 'secret');
    onTestFinished(() => server.stop());
    const withPassword = server.url.replace('//', '//:secret@');
    const failed = async (url: string, code: number, line: RegExp) => {
      const command = ownCampaign(url).fuzz();
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
