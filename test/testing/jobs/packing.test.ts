import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { QueueUnavailable } from '../../../src/testing/jobs/queue/packages.js';
import { outcomeIn, packed, unpacked } from '../../../src/testing/jobs/queue/packing.js';

it('reads what it has packed, and refuses other bytes and values above the limit', () => {
  expect(unpacked(packed({ at: [1, 'two'] }))).toEqual({ at: [1, 'two'] });
  const broken = [Buffer.from('none'), deflateSync('{"at":'), Buffer.alloc(0)];
  for (const bytes of broken) expect(() => unpacked(bytes)).toThrow(QueueUnavailable);
  expect(() => unpacked(packed('a'.repeat(2_000)), 1_000)).toThrow(QueueUnavailable);
});

it('takes outcomes of jobs only', () => {
  const rows = [null, 'done', {}, { kind: 'done?' }, { kind: 'failed', error: 'no' }, { kind: 'crashed' }];
  const reason = 'its result on the queue cannot be read: it is not an outcome of a job';
  for (const row of rows) expect(outcomeIn(packed(row))).toEqual({ kind: 'crashed', reason });
  expect(outcomeIn(Buffer.from('none'))).toMatchObject({ kind: 'crashed' });
  const sound = { kind: 'done', result: [1] };
  expect(outcomeIn(packed(sound))).toEqual(sound);
  expect(outcomeIn(packed({ kind: 'done', result: undefined }))).toEqual({ kind: 'done' });
});
