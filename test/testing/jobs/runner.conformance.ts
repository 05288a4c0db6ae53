import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Job, JobRunner } from '../../../src/testing/jobs/job-runner.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** What a runner cannot do. */
export interface RunnerLimits {
  /** A job that ends its process, or does not end, ends all. */
  readonly isInProcess: boolean;
  /** Running jobs are not told that their runner is stopped. */
  readonly isRemote: boolean;
}

let jobs = 0;

function job(name: string, data: unknown, more: Partial<Job> = {}): Job {
  jobs += 1;
  return { id: `job-${jobs}`, name, data, ...more };
}

/** A file that counts attempts. */
function counter(): string {
  const file = join(temporaryFolder(), 'attempts');
  writeFileSync(file, '0');
  return file;
}

/** What every runner must do with the jobs of `job-program.ts`. */
export function conformance(open: () => Promise<JobRunner>, { isInProcess, isRemote }: RunnerLimits): void {
  const opened = async () => {
    const runner = await open();
    onTestFinished(() => runner.close());
    return runner;
  };

  it('gives each job its own result', async () => {
    const runner = await opened();
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map((number) => runner.run(job('double', number))));
    expect(outcomes).toEqual([2, 4, 6, 8, 10].map((doubled) => ({ kind: 'done', result: { doubled } })));
  });

  it('gives jobs the values that are shared, and says which one is not', async () => {
    const runner = await opened();
    await runner.share('the/key', { deep: [1, null, 'ü'] });
    expect(await runner.run(job('shared', 'the/key'))).toEqual({
      kind: 'done',
      result: { value: { deep: [1, null, 'ü'] } },
    });
    expect(await runner.run(job('shared', 'another'))).toMatchObject({
      kind: 'failed',
      error: { message: 'there is no shared value another' },
    });
  });

  it('reports the error that a job throws with its name, and runs other jobs', async () => {
    const runner = await opened();
    expect(await runner.run(job('fail', 'out of range'))).toMatchObject({
      kind: 'failed',
      error: {
        name: 'RangeError',
        message: 'out of range',
        stack: expect.stringContaining('job-program') as string,
      },
    });
    expect(await runner.run(job('juggle', 1))).toMatchObject({
      kind: 'failed',
      error: { message: 'there is no job juggle' },
    });
    expect(await runner.run(job('double', 1))).toMatchObject({ kind: 'done' });
  });

  it.skipIf(isRemote)(
    'withdraws jobs that have not begun when it is stopped, lets running ones know, and still runs urgent ones',
    async () => {
      const runner = await opened();
      // As many as run at once.
      const count = Math.max(1, runner.window / 2);
      const running = Array.from({ length: count }, () => runner.run(job('untilStopped', null)));
      await runner.share('x', 1);
      const waiting = Array.from({ length: 3 }, () => runner.run(job('double', 1)));
      runner.stop();
      expect(await Promise.all(running)).toEqual(running.map(() => ({ kind: 'done', result: 'stopped' })));
      expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ kind: 'withdrawn' })));
      expect(await runner.run(job('double', 1))).toEqual({ kind: 'withdrawn' });
      expect(await runner.run(job('untilStopped', null, { isUrgent: true }))).toEqual({
        kind: 'done',
        result: 'stopped',
      });
    },
  );

  it.skipIf(isInProcess)('runs a job again that ends its process, and others meanwhile', async () => {
    const runner = await opened();
    const crashing = runner.run(job('crash', { file: counter(), times: 2 }));
    expect(await runner.run(job('double', 4))).toEqual({ kind: 'done', result: { doubled: 8 } });
    expect(await crashing).toEqual({ kind: 'done', result: { attempts: 3 } });
  });

  it.skipIf(isInProcess)(
    'gives up a job that has ended its process three times, or as often as it may',
    async () => {
      const runner = await opened();
      expect(await runner.run(job('crash', { file: counter(), times: 9 }))).toMatchObject({
        kind: 'crashed',
        reason: expect.stringContaining('SIGKILL') as string,
      });
      const once = { file: counter(), times: 1 };
      expect(await runner.run(job('crash', once, { attempts: 1 }))).toMatchObject({ kind: 'crashed' });
      expect(await runner.run(job('double', 1))).toMatchObject({ kind: 'done' });
    },
  );

  it.skipIf(isInProcess)('ends the process of a job whose time is over', async () => {
    const runner = await opened();
    expect(await runner.run(job('endless', null, { attempts: 1, timeoutMs: 10 }))).toMatchObject({
      kind: 'crashed',
    });
  });
}
