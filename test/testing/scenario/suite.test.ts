import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { coverage } from '../../support/coverage.js';
import { COVERABLE } from '../../support/scenario-rules.js';
import { scenarioJsonSchema } from '../../../src/testing/scenario/file/json-schema.js';
import { findFiles, loadFile } from '../../../src/testing/scenario/file/load.js';
import { playScenario } from '../../../src/testing/scenario/play/play.js';
import { failureText } from '../../../src/testing/scenario/reporters/failure-text.js';
import { PLAIN } from '../../../src/testing/scenario/reporters/reporter.js';
import { BrokenFile, type Scenario } from '../../../src/testing/scenario/scenario.js';
import type { ScenarioResult } from '../../../src/testing/scenario/results.js';
import { IN_PROCESS } from '../../../src/testing/drivers/in-process.js';
import { httpServer } from '../../../src/testing/drivers/http-server.js';
import { checkedTarget } from '../../support/contract-check.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = process.cwd();
const files = await findFiles(['scenarios'], folder);
const scenarios = (await Promise.all(files.map((file) => loadFile(file, folder)))).flat();
const isProperty = ({ play }: Scenario) => play.kind === 'property';
const properties = scenarios.filter(isProperty);
const scripted = scenarios.filter((scenario) => !isProperty(scenario));

const base = { seed: null, timeoutMs: 60_000, rerun: ({ id }: { id: string }) => `sim run ${id}` };

function expectGood(result: ScenarioResult): void {
  if (result.verdict !== 'passed') throw new Error(failureText(result, { columns: 110, paint: PLAIN }));
}

describe('scenario files', () => {
  it('contain no two scenarios of one name in a file', () => {
    const names = scenarios.map(({ file, name }) => `${file} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('name only known rules and sides of limits, as tags with a dot', () => {
    const named = scenarios.flatMap(({ tags }) => tags.filter((tag) => tag.includes('.')));
    expect(named.filter((tag) => !COVERABLE.includes(tag))).toEqual([]);
  });
});

describe('scenario suite', () => {
  const results: ScenarioResult[] = [];
  afterAll(() => {
    results.length = 0;
  });

  async function play(engine: 'bankrun' | 'litesvm', scenario: Scenario): Promise<void> {
    const result = await playScenario(scenario, { ...base, engine, target: IN_PROCESS, isDetailed: true });
    results.push(result);
    expectGood(result);
  }

  it.each(scripted)('on bankrun, $file: $name', (scenario) => play('bankrun', scenario));

  // Random play meets both engines in other tests.
  it.each(properties)('on litesvm, $file: $name', (scenario) => play('litesvm', scenario));

  it('covers every rule, operation, code, side of a limit, variant and loan transition', () => {
    expect(coverage(results).filter(({ missing }) => missing.length > 0)).toEqual([]);
  });
});

describe('scenario suite on litesvm, over HTTP', () => {
  it.each(scripted)('$file: $name', { tags: ['slow'] }, async (scenario) => {
    const problems: string[] = [];
    const target = checkedTarget(httpServer, problems);
    const options = { ...base, engine: 'litesvm', target, isDetailed: false } as const;
    expectGood(await playScenario(scenario, options));
    expect(problems, 'the OpenAPI document does not say so').toEqual([]);
  });
});

describe('JSON Schema of scenario files', () => {
  const kept: unknown = JSON.parse(readFileSync('schema/scenario.schema.json', 'utf8'));

  it('is the one generated from the loader', () => {
    expect(kept, 'run npm run schema').toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())));
  });

  const validate = new Ajv({ strict: false }).compile(kept as object);

  it.each(files.filter((file) => file.endsWith('.yaml')))('accepts %s', (file) => {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      validate(document.toJS());
      expect(validate.errors).toBeNull();
    }
  });

  it('rejects unknown verbs and members, and wrong types, as the loader does', async () => {
    const good = { name: 'x', agents: { alice: {} }, steps: [{ 'alice.account': {} }] };
    const dir = temporaryFolder();
    const loads = async (scenario: object) => {
      writeFileSync(join(dir, 'x.yaml'), JSON.stringify(scenario));
      return loadFile(join(dir, 'x.yaml'), dir).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(BrokenFile);
          return false;
        },
      );
    };
    for (const [scenario, isGood] of [
      [good, true],
      [{ ...good, steps: [{ 'alice.fly': {} }] }, false],
      [{ ...good, steps: [{ wait: { within: '1s' } }] }, false],
      [{ ...good, stepz: [] }, false],
      [{ ...good, agents: { alice: { usdc: 'many' } } }, false],
    ] as const)
      expect([validate(scenario), await loads(scenario)], JSON.stringify(scenario)).toEqual([isGood, isGood]);
  });
});
