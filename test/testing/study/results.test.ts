import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import type { JobRunner } from '../../../src/testing/jobs/job-runner.js';
import { ResultFolder } from '../../../src/testing/study/result-folder.js';
import { writeResults } from '../../../src/testing/study/run-study.js';
import { studyJobs } from '../../../src/testing/study/study-jobs.js';
import { readMetrics } from '../../../src/testing/study/write-metrics.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { SMALL, begun, finished, plannedStudy, work } from './studies.js';

function parquetRows(path: string): Promise<Record<string, unknown>[]> {
  const { buffer, byteOffset, length } = readFileSync(path);
  return parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + length) });
}

describe('the results of a study', () => {
  it('have the same rows as CSV and as Parquet', { tags: ['slow'] }, async () => {
    const plan = await plannedStudy(SMALL);
    const { path } = await finished(plan);
    const { parameters, rows } = readMetrics(join(path, 'metrics.csv'));
    expect(parameters).toEqual(['world.limits.dailyWithdrawalUsd']);
    const [parameter = ''] = parameters;
    const read = (await parquetRows(join(path, 'metrics.parquet'))).map(
      ({ [parameter]: limit, at, ...rest }) => ({
        ...rest,
        at: (at as Date).toISOString(),
        parameters: [limit],
      }),
    );
    expect(read).toEqual(rows);
    expect(new Set(rows.map(({ run }) => run))).toEqual(new Set([1, 2, 3, 4]));
  });

  it('keep swept values that CSV has to quote', async () => {
    const prices = [100, '{"walk":{"start":120,"every":"1d","step":0.1}}'];
    const plan = await plannedStudy(
      `name: a\npopulation: { count: 2, personas: { saver: 1 } }\nspan: 1d\nmetrics: [liquidity]\nsweep: { world.oracle.solUsd: [${prices.join(', ')}] }\n`,
    );
    const { rows } = readMetrics(join((await finished(plan)).path, 'metrics.csv'));
    expect(rows.map(({ parameters, value }) => [parameters[0], Number.isFinite(value)])).toEqual(
      prices.flatMap((price) => Array.from({ length: 4 }, () => [price, true])),
    );
  });

  it('count per tick, however many ticks a measurement covers', async () => {
    const resultsOf = async (every: number) => {
      const plan = await plannedStudy(
        'name: a\npopulation: { count: 4, personas: { spender: 1, payer: 1 } }\nspan: 7d\n' +
          'world: { engine: litesvm, limits: { dailyWithdrawalUsd: 20 } }\n' +
          `metrics: [actions, refusals, limitHits, volume]\noutput: { every: ${every} }\n`,
      );
      const { path } = await finished(plan);
      const { rows } = readMetrics(join(path, 'metrics.csv'));
      const last = rows.filter(({ tick, metric }) => tick > 5 && metric === 'actions');
      return {
        summary: readFileSync(join(path, 'summary.csv'), 'utf8'),
        lastActions: last.reduce((sum, { value }) => sum + value, 0),
      };
    };
    const [each, fifth] = [await resultsOf(1), await resultsOf(5)];
    expect(fifth.summary).toBe(each.summary);
    // The last measurement of seven ticks covers two of them.
    expect(fifth.lastActions * 2).toBe(each.lastActions);
  });

  it('name a run whose process ended each time', { tags: ['slow'] }, async () => {
    const plan = await plannedStudy(SMALL);
    const inline = new InlineRunner(studyJobs());
    const crashing: JobRunner = {
      window: 1,
      share: (key, value) => inline.share(key, value),
      run: (job) =>
        job.id.endsWith('-2')
          ? Promise.resolve({ kind: 'crashed', reason: 'out of memory' })
          : inline.run(job),
      stop: () => inline.stop(),
      close: () => inline.close(),
    };
    const results = begun(plan);
    await work(plan, results, { runner: crashing });
    const playedAgain: number[] = [];
    await work(plan, results, { onRun: ({ run }) => void playedAgain.push(run) });
    expect(playedAgain).toEqual([]);
    const { runs } = await writeResults(plan, results);
    expect(runs.map(({ failure }) => failure?.text ?? null)).toEqual([null, 'out of memory', null, null]);
  });

  it(
    'hold the journal and the events of each run where the study wants them',
    { tags: ['slow'] },
    async () => {
      const plan = await plannedStudy(`${SMALL}output: { entries: true, events: true }\n`);
      const { path } = await finished(plan);
      const { runs } = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as {
        runs: { entries: number }[];
      };
      const postings = await parquetRows(join(path, 'entries/run-4.parquet'));
      expect(postings.at(-1)).toMatchObject({ entry: runs[3]?.entries });
      const lines = readFileSync(join(path, 'events/run-4.jsonl'), 'utf8').split('\n').filter(Boolean);
      expect(lines.filter((line) => (JSON.parse(line) as { kind: string }).kind === 'entry')).toHaveLength(
        runs[3]?.entries ?? 0,
      );
    },
  );
});

describe('a folder of results', () => {
  it('is not written over, and only its own version goes on with it', { tags: ['slow'] }, async () => {
    const plan = await plannedStudy(SMALL);
    const { path } = begun(plan);
    expect(() => ResultFolder.begin(path, plan, 'v1')).toThrow(
      `continue it with --resume ${path}, choose another folder with --out`,
    );
    expect(() => ResultFolder.resume(path, 'v2')).toThrow('started by version v1, and this is v2');
    expect(() => ResultFolder.resume(temporaryFolder(), 'v1')).toThrow('contains no unfinished study');
    const { path: other } = await finished(plan);
    expect(() => ResultFolder.begin(other, plan, 'v1')).toThrow(
      'contains the results of a study: choose another folder with --out',
    );
    expect(() => ResultFolder.resume(other, 'v1')).toThrow('is finished');
  });
});
