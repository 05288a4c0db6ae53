// @module-tag slow
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planStudy } from '../../../src/testing/study/plan.js';
import { finished, partOf } from './studies.js';

const FILES = readdirSync('studies').filter((name) => name.endsWith('.yaml'));

it.each(FILES)('studies/%s plays at each of its points with a tiny population', async (file) => {
  const plan = partOf(await planStudy(`studies/${file}`), file === 'savers-run.yaml' ? 34 : 9);
  const { path, manifest } = await finished(plan);
  for (const { failure, actions } of manifest.runs) expect([failure, actions > 0]).toEqual([null, true]);
  expect(readFileSync(join(path, 'metrics.csv'), 'utf8')).toMatch(/\n1,.*,-?[\d.]+\n/);
  expect(readFileSync(join(path, 'report.html'), 'utf8')).toContain('All runs passed the ledger check');
});
