import { describe, expect, it } from 'vitest';
import { playScenario } from '../../../../src/testing/scenario/play/play.js';
import { readTypescript } from '../../../../src/testing/scenario/file/typescript.js';
import { PLAY_OPTIONS, fileWith, scenarioOf } from '../played.js';

const SCRIPT = new URL('../../../../src/testing/scenario/script.js', import.meta.url).pathname;

const withSteps = (steps: string) =>
  `name: x\nagents: { alice: { checking: { usdc: 5 } }, bob: {} }\nsteps:\n${steps}\n`;

async function verdictOf(steps: string): Promise<string> {
  return (await playScenario(scenarioOf(withSteps(steps)), PLAY_OPTIONS)).verdict;
}

describe('scenario that could pass without being checked', () => {
  it.each([
    ['an expectation among the arguments', '  - alice.account:\n      expect: { checking.usdc: 999 }'],
    ['a name to save among the arguments', '  - alice.account: { save: a }'],
    [
      'an expectation among the members of repeat',
      '  - repeat: { times: 1, steps: [alice.account], expect: {} }',
    ],
    ['no steps in a repeat', '  - repeat: { times: 3, steps: [] }'],
    ['a repeat of no rounds', '  - repeat: { times: 0, steps: [alice.account] }'],
    ['no calls in parallel', '  - parallel: []'],
    [
      'a name to save beside a check of the world',
      '  - { expect: { chain: { bob: { usdc: 0 } } }, save: a }',
    ],
    ['a tolerance without a value', '  - { alice.account: {}, expect: { checking.usdc: { by: 5 } } }'],
    [
      'an unknown token',
      '  - { alice.account: {}, expect: { journal: { checking: { usdc: { not: 1 } } } } }',
    ],
    ['rates without a value', '  - oracle.set: {}'],
    ['a faucet step without an amount', '  - faucet.give: { to: bob }'],
  ])('is rejected with %s', (_what, steps) => {
    expect(() => scenarioOf(withSteps(steps))).toThrow(/^a\.yaml:\d+:\d+: /);
  });

  it('fails for a wrong count of nested parallel calls', async () => {
    const refused = 'alice.withdraw: { amount: 50, token: USDC }';
    expect(
      await verdictOf(
        `  - { parallel: [{ parallel: [{ ${refused} }, { ${refused} }] }, alice.account], expect: { refused: 0 } }`,
      ),
    ).toBe('failed');
  });

  it('fails for a wrong expectation beside a wait', async () => {
    const look = '{ until: { expect: { chain: { bob: { usdc: 0 } } } } }';
    expect(await verdictOf(`  - { wait: ${look}, expect: { chain: { bob: { usdc: 1 } } } }`)).toBe('failed');
  });

  it('fails for a number of rounds that is not a number', async () => {
    expect(
      await verdictOf(
        '  - { alice.loans: {}, save: l }\n  - repeat: { times: "${l.loans}", steps: [alice.account] }',
      ),
    ).toBe('failed');
  });

  it('fails as a property whose check throws null', { tags: ['slow'] }, async () => {
    const path = fileWith(
      `import { property } from ${JSON.stringify(SCRIPT)};\nexport default property('x', { runs: 2, steps: 3 }, () => { throw null; });\n`,
      'a.scenario.mts',
    );
    const [scenario] = await readTypescript(path, 'a.scenario.mts');
    if (scenario === undefined) throw new Error('there is no scenario');
    const { verdict, reason } = await playScenario(scenario, PLAY_OPTIONS);
    expect([verdict, reason]).toEqual(['failed', expect.stringMatching(/^after .*: null$/)]);
  });

  it('fails as a property whose world cannot be created', async () => {
    const target = {
      ...PLAY_OPTIONS.target,
      open: () => Promise.reject(new Error('no world today')),
    };
    const scenario = scenarioOf('name: x\nproperty: { runs: 2, steps: 2 }\n');
    expect(await playScenario(scenario, { ...PLAY_OPTIONS, target })).toMatchObject({
      verdict: 'failed',
      reason: 'no world today',
    });
  });
});
