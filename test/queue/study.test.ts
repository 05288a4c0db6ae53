import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../cli/process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { SMALL, written } from '../testing/study/studies.js';
import { ownQueue } from './support.js';

const filesOf = (out: string) =>
  ['summary.csv', 'metrics.csv', 'metrics.parquet', 'manifest.json'].map((name) =>
    readFileSync(join(out, name)),
  );

it('a study on a queue writes the same bytes as one on this machine, also after its coordinator is killed', async () => {
  const file = written(SMALL.replace('repetitions: 2', 'repetitions: 6'));
  const queue = ownQueue();
  const [local, out] = [join(temporaryFolder(), 'local'), join(temporaryFolder(), 'out')];
  expect((await run('study', file, '--out', local)).code).toBe(0);
  await queue.worker();
  const killed = queue.started(['study', file, '--out', out]);
  await killed.complained(' of 12 runs');
  await killed.endedBy('SIGKILL');
  const resumed = queue.started(['study', '--resume', out]);
  expect(await resumed.ended(), resumed.stderr).toBe(0);
  expect(filesOf(out)).toEqual(filesOf(local));
  const { stdout } = await queue.campaign('list');
  expect(stdout).toMatch(/^study +finished +study +12 +12 +runs +0 /m);
});
