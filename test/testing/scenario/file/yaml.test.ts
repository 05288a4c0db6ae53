import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../../../../src/testing/scenario/file/load.js';
import { readYaml } from '../../../../src/testing/scenario/file/yaml.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { brokenYaml } from './broken-yaml.js';

const HEAD = 'name: x\nagents: { alice: {}, bob: {} }\n';

// `test/golden` has where files are wrong, and the reasons.
it('a deeply nested scenario file is rejected with that reason', () => {
  expect(brokenYaml(`name: ${'['.repeat(3_000)}${']'.repeat(3_000)}`).reason).toBe('it is nested too deeply');
});

it('a scenario file with aliases of aliases is rejected before they are resolved', () => {
  const lists = Array.from({ length: 12 }, (_, at) => `  - &l${at + 1} [${`*l${at},`.repeat(10)}]`);
  expect(brokenYaml(`name: x\nsteps:\n  - &l0 [x]\n${lists.join('\n')}\n`).reason).toMatch(/alias/i);
});

describe('invalid YAML scenario file', () => {
  it.each([
    ['{ usdc: { abov: 5, other: 1 } }', 'another member beside it'],
    ['{ batch: { each: 5 }, note: x }', 'names that are like short words'],
    ['{ usdc: { length: 5 } }', 'a matcher'],
    ['{ usdc: { match: true, above: 1 } }', 'an argument that the matcher does not take'],
    ['{ usdc: { equals: { abov: 5 } } }', 'an object to compare with'],
    ['{ match: "x", chain: { reach: { usdc: 5 } } }', 'names of members and agents'],
    ['{ usdc: { year: { x: 1 } } }', 'an object'],
  ])('is not reported for the expectation %s, which has %s', (expected) => {
    const agents = HEAD.replace('bob', 'reach');
    expect(
      readYaml(`${agents}steps:\n  - alice.account: {}\n    expect: ${expected}`, 'a.yaml', '/a.yaml'),
    ).toHaveLength(1);
  });

  it('is rejected with its line in the whole file when it is not the first document', () => {
    const first = `${HEAD}steps: [alice.account]\n---\n`;
    expect(brokenYaml(`${first}name: y\nsteps:\n  - carol.account\n`)).toMatchObject({
      message: expect.stringMatching(/^a.yaml:7:5: .*there are no agents and/) as string,
    });
    expect([6, 7]).toContain(brokenYaml(`${first}name: y\nsteps: [\n`).line);
    expect(brokenYaml(`${first}names: y\n`)).toMatchObject({ line: 5, column: 1 });
  });

  it('is rejected when it cannot be read', async () => {
    const at = temporaryFolder();
    await expect(loadFile('no.yaml', at)).rejects.toMatchObject({
      file: 'no.yaml',
      reason: 'cannot be read (ENOENT)',
    });
    mkdirSync(join(at, 'folder.yaml'));
    await expect(loadFile('folder.yaml', at)).rejects.toMatchObject({ reason: 'cannot be read (EISDIR)' });
  });
});
