import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { programVersion } from '../../src/cli/queue/options.js';
import { type Command, MAIN, childrenOf, run } from '../cli/process.js';
import { RedisServer } from './redis-server.js';
import { FUZZ, RUNS, connected, ownCampaign, redisUrl } from './support.js';

/** What a command has reported, without its duration. */
function reportOf({ stdout }: { readonly stdout: string }): string {
  return stdout.replace(/"seconds":[\d.]+/, '');
}

/** Follows the jobs of a queue from now on. */
async function jobsOf({ prefix }: ReturnType<typeof ownCampaign>, url = redisUrl()) {
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

  /** A campaign of which one job is done, by workers with so many processes. */
  async function begun(processes: readonly number[], url = redisUrl()) {
    const here = ownCampaign(url);
    const workers: Command[] = [];
    for (const concurrency of processes) workers.push(await here.worker(concurrency));
    const jobs = await jobsOf(here, url);
    const command = here.fuzz();
    await jobs.another(command);
    return { here, workers, jobs, command };
  }

  it('by two workers with two processes each', async () => {
    const here = ownCampaign();
    for (const concurrency of [2, 2]) await here.worker(concurrency);
    await sameAs(here.fuzz());
    expect((await here.campaign('list')).stdout).toMatch(
      new RegExp(`^fuzz +finished +fuzz +${RUNS} +${RUNS} +runs`, 'm'),
    );
    const { stdout } = await here.campaign('report', 'fuzz');
    expect(stdout).toMatch(new RegExp(`^Every rule held in ${RUNS} runs`));
  });

  it('while a worker is killed, another is drained by SIGTERM, and others take over', async () => {
    const { here, workers, jobs, command } = await begun([1, 2]);
    const [killed, drained] = workers;
    killed?.kill('SIGKILL');
    await jobs.another(command);
    expect(await drained?.endedBy('SIGTERM')).toBe(0);
    expect(drained?.stderr).toMatch(/sim: ended after \d+ jobs/);
    for (const concurrency of [1, 1]) await here.worker(concurrency);
    await sameAs(command);
  });

  it('after its coordinator was killed and the same command was run again', async () => {
    const { here, command: first } = await begun([2]);
    expect(await first.endedBy('SIGKILL')).not.toBe(0);
    await sameAs(here.fuzz());
  });

  it('after its coordinator was interrupted', async () => {
    // One process: the campaign outlasts the next command.
    const { here, command: first } = await begun([1]);
    const { stdout: status } = await here.campaign('status', 'fuzz', '--json');
    expect(JSON.parse(status)).toMatchObject({ unit: 'runs', total: RUNS, found: 0, processes: 1 });
    expect(Object.keys(JSON.parse(status) as object)).toEqual(
      expect.arrayContaining(['done', 'rate', 'coverage', 'secondsLeft', 'steps']),
    );
    expect(await first.endedBy('SIGINT')).toBe(130);
    expect((await here.campaign('list')).stdout).toMatch(/^fuzz +interrupted/m);
    await sameAs(here.fuzz());
  });

  it('after its Redis was killed and started again', async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const { command } = await begun([1], server.url);
    await server.kill();
    await command.complained('sim: the queue at redis:');
    await server.start();
    await sameAs(command);
    expect(command.stderr).toMatch(/sim: the queue at redis:.* is back/);
  });

  it('after a worker was stopped for longer than its lease, whose late results count once', async () => {
    const { here, workers, jobs, command } = await begun([1]);
    const processes = workers.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    await Promise.all([jobs.takenOver(command), here.worker()]);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    await sameAs(command);
  });
});
