import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { junitXml } from '../../../../src/testing/scenario/reporters/junit.js';
import type { SuiteResult } from '../../../../src/testing/scenario/results.js';
import { failedScenario, property, refusedStep, scenario, skippedScenario, suite } from './sample.js';

const SCHEMA = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');

const xmlOf = (of: SuiteResult = suite()) => junitXml(of);

/** Violations of the schema. */
async function problemsOf(xml: string): Promise<string[]> {
  const { errors } = await validateXML({ xml: { fileName: 'report.xml', contents: xml }, schema: SCHEMA });
  return errors.map(({ message }) => message);
}

describe('JUnit reporter', () => {
  // `test/golden` has the cases and failures of every kind of result.
  it('is valid XML for each kind of result, and counts a failure outside of steps as an error', async () => {
    const unreadable = failedScenario({ steps: [], reason: 'the file is not YAML' });
    const broken = failedScenario({ steps: [], reason: 'money was made', property: property() });
    const retried = scenario({ reason: 'passed on attempt 2', firstFailure: 'step 1', seed: '7' });
    const unfinished = [{ id: 'a.yaml', name: 'hangs', where: null }];
    const results = [scenario(), retried, skippedScenario(), failedScenario(), unreadable, broken];
    expect(await problemsOf(xmlOf(suite({ results })))).toEqual([]);
    expect(await problemsOf(xmlOf(suite({ results, unfinished })))).toEqual([]);
    expect(xmlOf(suite({ results: [unreadable, broken] }))).toContain('failures="1" errors="1"');
  });

  it('is valid XML for any characters in names and answers', async () => {
    const every = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).join('');
    const odd = `]]><b a="1">&amp;${every}\ud800\uffff\ufffe😀`;
    const evil = failedScenario({
      name: odd,
      seed: odd,
      engine: odd,
      reason: odd,
      steps: [refusedStep({ problem: odd, mismatches: [{ path: odd, expected: odd, actual: odd }] })],
    });
    const xml = xmlOf(suite({ results: [evil, skippedScenario({ name: odd, reason: odd })] }));
    expect(await problemsOf(xml)).toEqual([]);
    expect(xml).toContain('\\u0000\\u0001');
    expect(xml).toContain('\\ud800');
    expect(xml).toContain('😀');
  });

  it('is valid without scenarios', async () => {
    expect(await problemsOf(xmlOf(suite({ results: [] })))).toEqual([]);
  });
});
