import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { FROZEN_START_MS } from '../../../src/runtime/config.js';
import { runCount, runOf } from '../../../src/testing/study/plan.js';
import { studyJsonSchema } from '../../../src/testing/study/json-schema.js';
import { SMALL, plannedStudy } from './studies.js';

const BASE = 'name: a\npopulation: { count: 4, personas: { saver: 1 } }\nspan: 2d\n';

async function refusal(text: string, others?: Record<string, string>): Promise<string> {
  const told = await plannedStudy(text, others).then(() => 'none', String);
  return told.replace(/^.*study\.yaml/, 'study.yaml');
}

describe('the JSON Schema of studies', () => {
  it('is the one that npm run schema writes', () => {
    const file: unknown = JSON.parse(readFileSync('schema/study.schema.json', 'utf8'));
    expect(file, 'run npm run schema').toEqual(JSON.parse(JSON.stringify(studyJsonSchema())));
  });

  it('accepts what the command accepts', () => {
    const accepts = new Ajv({ strict: false }).compile(studyJsonSchema() as object);
    expect(accepts(parse(SMALL)), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ ...(parse(SMALL) as object), repetition: 1 })).toBe(false);
  });
});

describe('a study', () => {
  it('plans a run for each point and repetition', async () => {
    const plan = await plannedStudy(SMALL);
    expect(runCount(plan)).toBe(4);
    expect([1, 2, 3, 4].map((run) => runOf(plan, run))).toEqual([
      { run: 1, point: 1, repetition: 1 },
      { run: 2, point: 1, repetition: 2 },
      { run: 3, point: 2, repetition: 1 },
      { run: 4, point: 2, repetition: 2 },
    ]);
    expect(plan.points.map(({ world }) => world.limits?.dailyWithdrawalUsd)).toEqual([20, 1_000]);
    expect(plan).toMatchObject({ ticks: 6, tickMs: 86_400_000, startMs: FROZEN_START_MS });
  });

  it('decides applications by the score unless the world has a reviewer', async () => {
    const [auto, manual] = await Promise.all([
      plannedStudy(BASE),
      plannedStudy(`${BASE}world: { review: manual }\n`),
    ]);
    expect(auto.points[0]?.world.variants?.review).toBe('auto');
    expect(manual.points[0]?.world.variants?.review).toBe('manual');
  });

  it.each([
    [`${BASE}repetition: 3\n`, 'study.yaml:4:1: repetition: there is no member repetition here; did you'],
    [BASE.replace('saver', 'savre'), 'study.yaml:2:1: population.personas.savre: there is no persona savre'],
    [
      BASE.replace('saver: 1', 'saver: { weight: 1, does: { withdrow: 1 } }'),
      'there is no action withdrow; did',
    ],
    [`${BASE}metrics: [ballances]\n`, 'there is no metric ballances; did you mean balances?'],
    [`${BASE}sweep: { world.limits.maxLtw: [1] }\n`, 'study.yaml:4:1: sweep.world.limits.maxLtw: '],
    [`${BASE}sweep: { population.count: [4, 0] }\n`, 'study.yaml:4:1: sweep.population.count: '],
    [
      `${BASE}sweep: { world.limits.maxLtv: { from: 1, till: 2 } }\n`,
      'study.yaml:4:10: sweep.world.limits.max',
    ],
    [`${BASE}sweep: { world.oracle: { odd: { solUsd: -1 } } }\n`, 'study.yaml:4:1: sweep.world.oracle: '],
    [`${BASE}sweep: { population.count: [4, 4] }\n`, 'sweep: population.count has the value 4 twice'],
    [`${BASE}sweep: { span: [1d] }\n`, 'expected the path of an option in world or population'],
    [BASE.replace('2d', '1h'), 'the span is shorter than a tick'],
    [`${BASE.replace('2d', '20d')}tick: 3d\n`, 'study.yaml:3:1: span: must be whole ticks of 3d: 6 or 7'],
    [`${BASE}design: latin-hypercube\n`, 'needs points'],
    [`${BASE}points: 3\n`, 'the values of a grid determine its points'],
    [BASE.replace('saver: 1', 'saver: 0'), 'one persona needs a weight above 0'],
    [`${BASE}module: ./none.ts\n`, 'module: '],
  ])('refuses %j with its place and a remedy', async (text, message) => {
    expect(await refusal(text)).toContain(message);
  });

  it('refuses a module whose exports are none', async () => {
    const others = { 'own.mjs': 'export const personas = { a: 1 };' };
    const found = await refusal(`${BASE}module: ./own.mjs\n`, others);
    expect(found).toContain('personas of the module: a is missing or invalid');
  });
});
