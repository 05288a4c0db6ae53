import { describe, expect, it } from 'vitest';
import { PendingRequest, type RequestRecord } from '../../../src/api/pipeline/pending-request.js';
import { RequestPipeline } from '../../../src/api/pipeline/pipeline.js';
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
  const answer = ({
    work = () => 'done',
    isRead = true,
    before = () => undefined,
  }: { work?: () => string; isRead?: boolean; before?: () => void } = {}) =>
    pipeline.answer(pending, {
      enter: () => {
        before();
        const target = () => ({ kind: 'api' as const, name: 'account', wallets: [], nowMs: 0 });
        return { isRead, target, run: () => pending.still(work) };
      },
      render: (result: string | null, instead) => instead?.kind ?? result ?? '',
      fail: (error) => (error instanceof StorageUnavailable ? 'unavailable' : String(error)),
    });
  return { answer, scheduler, faults, happened, records };
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
    const { answer, happened, records } = pipelineOf();
    expect(await answer()).toBe('done');
    expect(happened).toEqual(['shared', 'still', 'durable?', 'recorded done', 'logged']);
    expect(records).toMatchObject([{ requestId: 'req_00000001', path: '/' }]);
  });

  it('injects faults outside of the lock, before and after the work', async () => {
    const { answer, faults, happened, records } = pipelineOf();
    faults.add(rule('before', { kind: 'delay', ms: 1 }));
    faults.add(rule('after-commit', { kind: 'delay', ms: 2 }));
    faults.add(rule('after-commit', { kind: 'lose-response' }));
    expect(await answer()).toBe('lose-response');
    expect(happened.slice(0, 6)).toEqual([
      'shared',
      'arrived, waiting',
      'sleep 1',
      'shared',
      'still',
      'sleep 2',
    ]);
    expect(happened.slice(6)).toEqual(['durable?', 'recorded lose-response', 'logged']);
    expect(records[0]?.faults).toHaveLength(3);
  });

  it('does not carry out a request whose response a fault replaces beforehand', async () => {
    const { answer, faults, happened } = pipelineOf();
    faults.add(rule('before', ANSWER));
    expect(await answer()).toBe('replace-response');
    expect(happened).not.toContain('still');
  });

  it('repeats a read of rolled-back state, without catching up and without faults', async () => {
    const { answer, happened } = pipelineOf({ isRolledBack: true });
    expect(await answer()).toBe('done');
    expect(happened.slice(0, 6)).toEqual(['shared', 'still', 'durable?', 'as it is', 'still', 'durable?']);
  });

  it('keeps the response of a fault when it repeats a read', async () => {
    const { answer, faults } = pipelineOf({ isRolledBack: true });
    faults.add(rule('after-commit', ANSWER));
    expect(await answer()).toBe('replace-response');
  });

  it('does not repeat a write', async () => {
    const { answer, happened } = pipelineOf({ isRolledBack: true });
    expect(await answer({ isRead: false })).toBe('unavailable');
    expect(happened.filter((what) => what === 'still')).toHaveLength(1);
  });

  it('reports a rollback instead of a fault', async () => {
    const { answer, faults } = pipelineOf({ isRolledBack: true });
    faults.add(rule('after-commit', { kind: 'lose-response' }));
    expect(await answer({ isRead: false })).toBe('unavailable');
  });

  it('does not return a result that is rolled back before the durability check', async () => {
    const { answer, scheduler } = pipelineOf();
    const work = () => {
      scheduler.rollbackCount += 1;
      return 'done';
    };
    expect(await answer({ isRead: false, work })).toBe('unavailable');
  });

  it('ignores a rollback before the work', async () => {
    const { answer, scheduler } = pipelineOf();
    const before = () => void (scheduler.rollbackCount += 1);
    expect(await answer({ isRead: false, before })).toBe('done');
  });

  it('rejects a request that is not admitted without waiting for durability', async () => {
    const { answer, happened } = pipelineOf();
    const before = () => {
      throw new RangeError('no token');
    };
    expect(await answer({ before })).toBe('RangeError: no token');
    expect(happened).toEqual(['recorded RangeError: no token', 'logged']);
  });

  it('waits for durability before it reports a failure, which may reveal other calls', async () => {
    const { answer, happened } = pipelineOf();
    const work = () => {
      throw new RangeError('no funds');
    };
    expect(await answer({ work })).toBe('RangeError: no funds');
    expect(happened.at(2)).toBe('durable?');
  });
});
