import { describe, expect, it } from 'vitest';
import { QueueRunner } from '../../src/testing/jobs/queue/queue-runner.js';
import { conformance } from '../testing/jobs/runner.conformance.js';
import { connected, ownPrefix, worker } from './support.js';

const PROGRAM = '../testing/jobs/job-program.ts';

describe('jobs on a queue', () => {
  conformance(
    async () => {
      const connection = await connected(ownPrefix());
      await worker(connection, PROGRAM);
      return QueueRunner.start(connection);
    },
    { isInProcess: false, isRemote: true },
  );

  it('that are done are known to a later runner, without any worker', async () => {
    const prefix = ownPrefix();
    const first = await connected(prefix);
    const helper = await worker(first, PROGRAM);
    const runner = await QueueRunner.start(first);
    const job = { id: 'the-job', name: 'double', data: 21 };
    expect(await runner.run(job)).toEqual({ kind: 'done', result: { doubled: 42 } });
    await runner.close();
    await helper.close();
    const later = await QueueRunner.start(await connected(prefix));
    expect(await later.run({ ...job, data: 0 })).toEqual({ kind: 'done', result: { doubled: 42 } });
    await later.close();
  });

  it('that no worker has begun are withdrawn when their runner is stopped, but for urgent ones', async () => {
    const connection = await connected(ownPrefix());
    const runner = await QueueRunner.start(connection);
    const waiting = [1, 2, 3].map((number) =>
      runner.run({ id: `j-${number}`, name: 'double', data: number }),
    );
    const urgent = runner.run({ id: 'urgent', name: 'double', data: 4, isUrgent: true });
    // They are on the queue when the next request is answered.
    await runner.share('x', 1);
    runner.stop();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ kind: 'withdrawn' })));
    expect(await runner.run({ id: 'late', name: 'double', data: 1 })).toEqual({ kind: 'withdrawn' });
    await worker(connection, PROGRAM);
    expect(await urgent).toEqual({ kind: 'done', result: { doubled: 8 } });
    await runner.close();
  });

  it('whose result is no result have crashed, and hold up no others', async () => {
    const connection = await connected(ownPrefix());
    const runner = await QueueRunner.start(connection);
    const outcomes = ['bad', 'good'].map((id) => runner.run({ id, name: 'double', data: 1 }));
    // They are on the queue when the next request is answered.
    await runner.share('x', 1);
    await connection.redis.set(connection.resultKey('bad'), 'no result');
    await connection.writeResult('good', { kind: 'done', result: { doubled: 2 } });
    expect(await Promise.all(outcomes)).toEqual([
      { kind: 'crashed', reason: expect.stringContaining('cannot be read') },
      { kind: 'done', result: { doubled: 2 } },
    ]);
    await runner.close();
  });

  it('wait for a worker that comes later', async () => {
    const connection = await connected(ownPrefix());
    const runner = await QueueRunner.start(connection);
    const outcome = runner.run({ id: 'early', name: 'double', data: 1 });
    await worker(connection, PROGRAM);
    expect(await outcome).toEqual({ kind: 'done', result: { doubled: 2 } });
    await runner.close();
  });
});
