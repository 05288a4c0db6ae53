import { describe, expect, it } from 'vitest';
import { PendingRequest, type RequestRecord } from '../../../src/api/pipeline/pending-request.js';
import { RequestPipeline, type RequestStages } from '../../../src/api/pipeline/pipeline.js';
import { StorageUnavailable } from '../../../src/core/journal/storage-unavailable.js';
import { type FaultRule, Faults } from '../../../src/runtime/faults/fault-rules.js';
import { ALWAYS } from '../../support/faults.js';

/** A pipeline that logs its stages, with a request; `isRolledBack` for a world that is rolled back once. */
function pipelineOf({ isRolledBack = false } = {}) {
  const happened: string[] = [];
  const records: RequestRecord[] = [];
  const noted =
    (name: string) =>
    <T>(work: () => T): T => {
      happened.push(name);
      return work();
    };
  const scheduler = {
    runShared: noted('shared'),
    runWithoutCatchUp: noted('as it is'),
    earn: () => null,
    sleep: async (ms: number) => void happened.push(`sleep ${ms}`),
    rollbackCount: 0,
  };
  const faults = new Faults('pipeline');
  const pipeline = new RequestPipeline({
    keepsAnswers: false,
    scheduler,
    faults,
    recorder: { on: null },
    whenDurable: () => {
      happened.push('durable?');
      if (!isRolledBack || scheduler.rollbackCount > 0) return null;
      scheduler.rollbackCount += 1;
      return Promise.reject(new StorageUnavailable('full'));
    },
    remember: () => undefined,
    onAnswer: (record) => {
      happened.push('logged');
      records.push(record);
    },
    onBug: () => undefined,
  });
  const requestId = pipeline.newRequestId('req');
  const pending = new PendingRequest<string>({ requestId, interface: 'api', method: 'GET', path: '/' });
  pending.trace = {
    arrived: (isWaiting) => void happened.push(`arrived${isWaiting ? ', waiting' : ''}`),
    still: noted('still'),
    answered: (answer) => void happened.push(`recorded ${answer}`),
  };
  const stages = (
    work: () => string,
    { isRead = true, before = () => undefined }: { isRead?: boolean; before?: () => void } = {},
  ): RequestStages<string, string> => ({
    enter: () => {
      before();
      const target = () => ({ kind: 'api' as const, name: 'account', wallets: [], nowMs: 0 });
      return { isRead, target, run: () => pending.still(work) };
    },
    render: (result, instead) => instead?.kind ?? result ?? '',
    fail: (error) => (error instanceof StorageUnavailable ? 'unavailable' : String(error)),
  });
  return { pipeline, scheduler, faults, pending, stages, happened, records };
}

function rule(phase: FaultRule['phase'], effect: FaultRule['effect']): FaultRule {
  return { target: { kind: 'api', name: '*' }, phase, when: ALWAYS, effect };
}

const ANSWER = {
  kind: 'replace-response',
  status: 503,
  code: 'busy',
  message: 'Busy',
  retryAfterSeconds: null,
} as const;

describe('request pipeline', () => {
  it('runs the work, waits for durability, records the response and logs it', async () => {
    const { pipeline, pending, stages, happened, records } = pipelineOf();
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done'),
      ),
    ).toBe('done');
    expect(happened).toEqual(['shared', 'still', 'durable?', 'recorded done', 'logged']);
    expect(records).toMatchObject([{ requestId: 'req_00000001', path: '/' }]);
  });

  it('injects faults outside of the lock, before and after the work', async () => {
    const { pipeline, faults, pending, stages, happened } = pipelineOf();
    faults.add(rule('before', { kind: 'delay', ms: 1 }));
    faults.add(rule('after-commit', { kind: 'delay', ms: 2 }));
    faults.add(rule('after-commit', { kind: 'lose-response' }));
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done'),
      ),
    ).toBe('lose-response');
    expect(happened.slice(0, 6)).toEqual([
      'shared',
      'arrived, waiting',
      'sleep 1',
      'shared',
      'still',
      'sleep 2',
    ]);
    expect(happened.slice(6)).toEqual(['durable?', 'recorded lose-response', 'logged']);
    expect(pending.record.faults).toHaveLength(3);
  });

  it('does not carry out a request whose response a fault replaces beforehand', async () => {
    const { pipeline, faults, pending, stages, happened } = pipelineOf();
    faults.add(rule('before', ANSWER));
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done'),
      ),
    ).toBe('replace-response');
    expect(happened).not.toContain('still');
  });

  it('repeats a read of rolled-back state, without catching up and without faults', async () => {
    const { pipeline, pending, stages, happened } = pipelineOf({ isRolledBack: true });
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done'),
      ),
    ).toBe('done');
    expect(happened.slice(0, 6)).toEqual(['shared', 'still', 'durable?', 'as it is', 'still', 'durable?']);
  });

  it('keeps the response of a fault when it repeats a read', async () => {
    const { pipeline, faults, pending, stages } = pipelineOf({ isRolledBack: true });
    faults.add(rule('after-commit', ANSWER));
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done'),
      ),
    ).toBe('replace-response');
  });

  it('does not repeat a write', async () => {
    const { pipeline, pending, stages, happened } = pipelineOf({ isRolledBack: true });
    const write = stages(() => 'done', { isRead: false });
    expect(await pipeline.answer(pending, write)).toBe('unavailable');
    expect(happened.filter((what) => what === 'still')).toHaveLength(1);
  });

  it('reports a rollback instead of a fault', async () => {
    const { pipeline, faults, pending, stages } = pipelineOf({ isRolledBack: true });
    faults.add(rule('after-commit', { kind: 'lose-response' }));
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done', { isRead: false }),
      ),
    ).toBe('unavailable');
  });

  it('does not return a result that is rolled back before the durability check', async () => {
    const { pipeline, scheduler, pending, stages } = pipelineOf();
    const write = stages(
      () => {
        scheduler.rollbackCount += 1;
        return 'done';
      },
      { isRead: false },
    );
    expect(await pipeline.answer(pending, write)).toBe('unavailable');
  });

  it('ignores a rollback before the work', async () => {
    const { pipeline, scheduler, pending, stages } = pipelineOf();
    const before = () => void (scheduler.rollbackCount += 1);
    expect(
      await pipeline.answer(
        pending,
        stages(() => 'done', { isRead: false, before }),
      ),
    ).toBe('done');
  });

  it('rejects a request that is not admitted without waiting for durability', async () => {
    const { pipeline, pending, stages, happened } = pipelineOf();
    const before = () => {
      throw new RangeError('no token');
    };
    const answer = await pipeline.answer(
      pending,
      stages(() => 'done', { before }),
    );
    expect(answer).toBe('RangeError: no token');
    expect(happened).toEqual([`recorded ${answer}`, 'logged']);
  });

  it('waits for durability before it reports a failure, which may reveal other calls', async () => {
    const { pipeline, pending, stages, happened } = pipelineOf();
    const fails = () => {
      throw new RangeError('no funds');
    };
    expect(await pipeline.answer(pending, stages(fails))).toBe('RangeError: no funds');
    expect(happened.at(2)).toBe('durable?');
  });
});
