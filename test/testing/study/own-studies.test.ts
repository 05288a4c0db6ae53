// @module-tag slow
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { planStudy, runOf, type StudyPlan } from '../../../src/testing/study/plan.js';
import { NO_MODULE, loadModule } from '../../../src/testing/study/module.js';
import { playRun } from '../../../src/testing/study/play/play-run.js';
import { StudySeries } from '../../../src/testing/study/report/study-series.js';
import { rowsOf } from '../../../src/testing/study/write-metrics.js';

const FILES = readdirSync('studies').filter((name) => name.endsWith('.yaml'));
const AGENTS = 9;

/** A study with few agents and ticks, and one run of each point. */
function tiny(plan: StudyPlan, ticks: number): StudyPlan {
  const points = plan.points.map((point) => ({
    ...point,
    population: { ...point.population, count: AGENTS },
  }));
  return { ...plan, points, ticks, study: { ...plan.study, repetitions: 1 } };
}

it.each(FILES)('studies/%s plays at each of its points with a tiny population', async (file) => {
  const plan = tiny(await planStudy(`studies/${file}`), file === 'savers-run.yaml' ? 34 : 9);
  const module = plan.module === null ? NO_MODULE : await loadModule(plan.module.path);
  const all = new StudySeries(plan);
  for (const { point } of plan.points) {
    const result = await playRun(plan, runOf(plan, point), { module });
    expect(result.failure).toBeNull();
    expect(result.actions).toBeGreaterThan(0);
    for (const row of rowsOf(plan, result)) all.add(row);
  }
  expect(plan.study.metrics.some((metric) => all.keysOf(metric).length > 0)).toBe(true);
});
