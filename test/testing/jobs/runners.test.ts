// @module-tag slow
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import { ProcessRunner } from '../../../src/testing/jobs/process-runner.js';
import { isAlive } from '../../../src/core/is-alive.js';
import { settled } from '../../support/waiting.js';
import { JOBS } from './job-program.js';
import { conformance } from './runner.conformance.js';

/** The processes of the jobs for tests. */
const PROCESSES = {
  program: fileURLToPath(new URL('job-program.ts', import.meta.url)),
  args: ['serve'],
  execArgv: ['--import', 'tsx'],
  count: 2,
};

describe('jobs in this process', () => {
  conformance(async () => new InlineRunner(JOBS), { isInProcess: true, isRemote: false });
});

describe('jobs in other processes', () => {
  conformance(async () => new ProcessRunner(PROCESSES), { isInProcess: false, isRemote: false });

  it('replace one that ended between two jobs, without an attempt of the next one', async () => {
    const runner = new ProcessRunner({ ...PROCESSES, count: 1 });
    const job = { id: '1', name: 'pid', data: null, attempts: 1 };
    const before = await runner.run(job);
    const pid = before.kind === 'done' ? (before.result as number) : 0;
    process.kill(pid, 'SIGKILL');
    await settled(
      () => isAlive(pid),
      (isUp) => !isUp,
    );
    expect(await runner.run(job)).toMatchObject({ kind: 'done' });
    await runner.close();
  });

  it('fails a job whose value cannot be looked up', async () => {
    const lookUp = () => {
      throw new Error('no values here');
    };
    const runner = new ProcessRunner({ ...PROCESSES, lookUp });
    const job = { id: '1', name: 'shared', data: 'some' };
    expect(await runner.run(job)).toMatchObject({ kind: 'failed' });
    await runner.close();
  });
});
