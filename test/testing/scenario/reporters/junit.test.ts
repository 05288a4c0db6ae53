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
  it('writes one suite per file and one case per scenario', async () => {
    const retried = scenario({ reason: 'failed before, passed on attempt 2', firstFailure: 'step 1' });
    const twice = suite({ results: [retried, scenario({ id: 'b#2', name: 'Again' }), failedScenario()] });
    const xml = xmlOf(twice);
    expect(xml.match(/<testsuite /g)).toHaveLength(2);
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml).toContain('<testsuites name="sim run" tests="3" failures="1" errors="0" time="1.234">');
    expect(xml).toContain(
      '<testsuite name="scenarios/deposit.yaml" tests="2" failures="0" errors="0" skipped="0"',
    );
    expect(xml).toContain('time="0.062" timestamp="2026-11-21T13:00:00">');
    expect(xml).toContain('<testcase name="Again" classname="scenarios.deposit" time="0.031"/>');
    expect(xml).toContain('<system-out>failed before, passed on attempt 2\n\nstep 1</system-out>');
    expect(await problemsOf(xml)).toEqual([]);
  });

  it('writes failures with their text and skipped scenarios with their reason', async () => {
    const xml = xmlOf();
    expect(xml).toContain(
      '<failure message="step 2 alice.borrow: status: expected 200, got 400" type="expectation">',
    );
    expect(xml).toContain('rerun     npx sim run scenarios/loans.yaml#2 --seed 42');
    expect(xml).toContain('<skipped message="time cannot be moved on a deployed bank"/>');
    expect(await problemsOf(xml)).toEqual([]);
  });

  it('counts a failure outside of steps as an error, except for a property', async () => {
    const unreadable = failedScenario({ steps: [], reason: 'the file is not YAML' });
    const broken = failedScenario({ steps: [], reason: 'money was made', property: property() });
    const xml = xmlOf(suite({ results: [unreadable, broken] }));
    expect(xml).toContain('failures="1" errors="1"');
    expect(xml).toContain('<error message="the file is not YAML" type="problem">');
    expect(xml).toContain('<failure message="money was made" type="expectation">');
    expect(await problemsOf(xml)).toEqual([]);
  });

  it('counts scenarios that were not finished as one error, which names them', async () => {
    const unfinished = [
      { id: 'a.yaml', name: 'hangs', where: 'interrupted, at step 3 (alice.account)' },
      { id: 'b.yaml', name: 'waits', where: null },
    ];
    const xml = xmlOf(suite({ scenarios: 3, results: [scenario()], unfinished }));
    expect(xml).toContain('<testsuites name="sim run" tests="2" failures="0" errors="1"');
    expect(xml).toContain(
      '<error message="2 scenarios were not finished" type="problem">a.yaml  hangs: interrupted, at step 3 (alice.account)\nb.yaml  waits\n</error>',
    );
    expect(await problemsOf(xml)).toEqual([]);
  });

  it('states the seed per scenario where they differ', () => {
    const seeds = xmlOf(suite({ results: [scenario(), scenario({ id: 'x#2', seed: '7' })] }));
    expect(seeds).toContain('<property name="seed of x#2" value="7"/>');
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
