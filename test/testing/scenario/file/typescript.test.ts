import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadFile } from '../../../../src/testing/scenario/file/load.js';
import { playScenario } from '../../../../src/testing/scenario/play/play.js';
import { failureText } from '../../../../src/testing/scenario/reporters/failure-text.js';
import { PLAIN } from '../../../../src/testing/scenario/reporters/paint.js';
import { everyStep, type ScenarioResult } from '../../../../src/testing/scenario/results.js';
import { BrokenFile, type Scenario } from '../../../../src/testing/scenario/scenario.js';
import { PLAY_OPTIONS, troubles } from '../played.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SCRIPT = fileURLToPath(new URL('../../../../src/testing/scenario/script.js', import.meta.url));
const IMPORT = `import { property, scenario } from ${JSON.stringify(SCRIPT)};\n`;

/** The scenarios of a file with this text after its import. */
function load(text: string, name = 'a.scenario.ts'): Promise<Scenario[]> {
  const at = temporaryFolder();
  writeFileSync(join(at, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(at, name), text);
  return loadFile(name, at);
}

async function play(text: string): Promise<ScenarioResult> {
  const [scenario] = await load(IMPORT + text);
  if (scenario === undefined) throw new Error('there is no scenario');
  return playScenario(scenario, PLAY_OPTIONS);
}

async function broken(text: string): Promise<BrokenFile> {
  const error: unknown = await load(text).catch((problem: unknown) => problem);
  if (error instanceof BrokenFile) return error;
  throw new Error(`not broken: ${String(error)}`);
}

describe('TypeScript scenario file', () => {
  it('gives a scenario with all its options', async () => {
    const [scenario, ...others] = await load(
      `${IMPORT}const name: string = 'a scripted one';
      export default scenario(name, { tags: ['slow'], covers: ['x402.pay'], world: { seed: 5 }, agents: { alice: { usdc: 1 } } },
        async () => undefined);`,
    );
    expect(others).toEqual([]);
    expect(scenario).toMatchObject({
      id: 'a.scenario.ts',
      file: 'a.scenario.ts',
      line: 3,
      name: 'a scripted one',
      tags: ['slow'],
      covers: ['x402.pay'],
      world: { seed: 5 },
      agents: { alice: { usdc: 1 } },
      invariants: 'always',
      play: { kind: 'script' },
    });
  });

  it('holds a list of scenarios and properties', async () => {
    const found = await load(
      `${IMPORT}export default [
        scenario('one', async () => undefined),
        property('two', { runs: 3, agents: 1, tags: ['random'] }),
        property('three', { operations: ['withdraw'] }, () => undefined),
      ];`,
    );
    expect(found.map(({ id, name, play: { kind } }) => [id, name, kind])).toEqual([
      ['a.scenario.ts', 'one', 'script'],
      ['a.scenario.ts#2', 'two', 'property'],
      ['a.scenario.ts#3', 'three', 'property'],
    ]);
    expect(found[1]).toMatchObject({
      tags: ['random'],
      play: { property: { runs: 3, agents: 1, steps: 30 }, check: null },
    });
    expect(found[2]?.play).toMatchObject({ check: expect.any(Function) as unknown });
  });

  it('imports other files beside it', async () => {
    const at = temporaryFolder();
    writeFileSync(join(at, 'names.ts'), `export const NAME: string = 'from another file';\n`);
    writeFileSync(
      join(at, 'a.scenario.ts'),
      `${IMPORT}import { NAME } from './names.js';\nexport default scenario(NAME, async () => undefined);\n`,
    );
    expect((await loadFile('a.scenario.ts', at)).map(({ name }) => name)).toEqual(['from another file']);
  });

  it('is rejected with line and column of a syntax error', async () => {
    const { line, column, reason, file } = await broken(`${IMPORT}\nconst x = ;\n`);
    expect({ line, column, file }).toEqual({ line: 3, column: 11, file: 'a.scenario.ts' });
    expect(reason).toMatch(/Unexpected ";"/);
  });

  it('is rejected without a scenario as default export', async () => {
    const why = /must export default scenario\(/;
    for (const text of [
      'export const x = 1;',
      'export default 5;',
      'export default null;',
      'export default Object.create(null);',
      `export default { name: 'x', steps: [] };`,
      `${IMPORT}export default [scenario('one', async () => undefined), {}];`,
    ])
      expect((await broken(text)).reason, text).toMatch(why);
  });

  it('is rejected with the reason when it throws or imports a missing file', async () => {
    expect((await broken(`throw new Error('no luck today');`)).reason).toBe('no luck today');
    expect((await broken(`import './nowhere.js';\nexport default 1;`)).reason).toMatch(
      /Cannot find module .*nowhere/,
    );
  });

  it('is rejected with the scenario’s name for an invalid option', async () => {
    const wrong = (options: string) =>
      broken(`${IMPORT}export default scenario('odd', ${options} as never, async () => undefined);`);
    expect((await wrong(`{ covers: ['x402.fly'] }`)).reason).toMatch(/^odd: covers\.0: /);
    expect((await wrong(`{ world: { variants: { overview: 'C' } } }`)).reason).toMatch(
      /^odd: world\.variants\.overview: /,
    );
    expect((await wrong(`{ agents: { treasury: {} } }`)).reason).toMatch(/^odd: agents\.treasury: /);
    const { reason } = await broken(`${IMPORT}export default property('odd', { operations: ['fly'] });`);
    expect(reason).toMatch(/^odd: property\.operations\.0: unknown action fly/);
  });
});

describe('line numbers of a TypeScript file', () => {
  const MODULE = `${IMPORT}
interface Wanted {
  readonly usdc: number;
}

const looks = scenario('looks', { agents: { alice: {} } }, async ({ agent, expect }) => {
  const alice = await agent('alice');
  const wanted: Wanted = { usdc: 5 };
  await alice.account();
  expect(
    await alice.account(),
    { checking: wanted },
  );
});

export default [
  looks,
  scenario('takes', { agents: { alice: {} } }, async ({ agent }) => {
    const alice = await agent('alice');

    await alice.withdraw({ amount: 1, token: 'USDC' });
  }),
  scenario('throws', async () => {
    throw new Error('two is not three');
  }),
  scenario('asks', { covers: ['x402.pay'] }, async ({ sim }) => {
    const ask = async () => sim.time.advance('1d', { expect: { status: 500 } });
    await ask();
  }),
];
`;

  it('refer to the scenarios, steps and expectations of the source', async () => {
    const results: ScenarioResult[] = [];
    for (const each of await load(MODULE, 'a.scenario.mts'))
      results.push(await playScenario(each, PLAY_OPTIONS));
    const failed = results.map(({ line, steps }) => [
      line,
      steps.find(({ verdict }) => verdict === 'failed')?.line,
    ]);
    expect(failed).toEqual([
      [7, 11],
      [19, 22],
      [24, undefined],
      [27, 28],
    ]);
    expect(results[2]?.reason).toBe('the script threw: two is not three (line 25)');
    expect(failureText(results[0] as ScenarioResult, { columns: 100, paint: PLAIN })).toContain(
      '  a.scenario.mts:7\n  step 3  expect (a.scenario.mts:11)\n',
    );
  });

  it('refer to the scenario with an invalid option', async () => {
    const wrong = load(MODULE.replace('x402.pay', 'x402.fly'), 'a.scenario.mts');
    await expect(wrong).rejects.toMatchObject({ name: 'BrokenFile', line: 27 });
  });
});

describe('scripted scenario', () => {
  it('plays verbs as methods, reads responses and creates agents', async () => {
    const result =
      await play(`export default scenario('x', { agents: { alice: { checking: { usdc: 100 } } } },
      async ({ agent, sim, expect }) => {
        const alice = await agent('alice');
        const bob = await agent('bob', { savings: { usdc: 50 } });
        const paid = await alice.x402.pay({ recipient: bob.address, amount: 10, token: 'USDC' }, { note: 'a gift', key: 'k' });
        expect(paid, { status: 200, tx_signature: { type: 'string' } });
        await sim.time.advance('1d');
        expect(sim.now().toISOString(), '2026-01-02T00:00:00.000Z');
        await alice.withdraw({ amount: 5000, token: 'USDC' }, { expect: { code: 'insufficient_balance' } });
        await sim.holds({ chain: { bob: { usdc: 0 } }, journal: { checking: { USDC: 90 } } });
        expect((await bob.client().account()).savings.usdc, { atLeast: 50 });
        expect([sim.treasury, sim.usdcMint], { each: { type: 'string' } });
      });`);
    expect(troubles(result)).toEqual([]);
    expect(result.steps.map(({ place, title }) => `${place} ${title}`)).toEqual([
      '1 bob.deposit',
      '2 bob.savings.deposit',
      '3 alice.x402.pay',
      '4 expect',
      '5 time.advance',
      '6 expect',
      '7 alice.withdraw',
      '8 holds',
      '9 expect',
      '10 expect',
    ]);
    expect(result.steps[2]).toMatchObject({ note: 'a gift', args: { amount: 10 } });
    expect(result.steps[2]?.exchanges.at(-1)?.requestHeaders).toMatchObject({ 'idempotency-key': 'k' });
  });

  it('ends at the first failed step and fails even when the error is caught', async () => {
    const result = await play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent }) => {
      const alice = await agent('alice');
      await alice.account();
      await alice.withdraw({ amount: 1, token: 'USDC' });
      await alice.loans();
    });`);
    expect(troubles(result)).toEqual([
      '2 alice.withdraw: : success, but 400 insufficient_balance: The checking balance is too small.',
      'failed',
    ]);
    expect(result.steps).toHaveLength(2);
    const caught = await play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent }) => {
      const alice = await agent('alice');
      await alice.withdraw({ amount: 1, token: 'USDC' }).catch(() => undefined);
      await alice.account();
    });`);
    expect(caught.verdict).toBe('failed');
  });

  it('fails with the path of a failed expectation', async () => {
    const result =
      await play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent, expect }) => {
      expect((await (await agent('alice')).account()), { checking: { usdc: 5 } });
    });`);
    expect(result.steps.at(-1)).toMatchObject({ title: 'expect', verdict: 'failed' });
    expect(result.steps.at(-1)?.mismatches.map(({ path }) => path)).toEqual(['checking.usdc']);
  });

  it('fails with the exception it throws and keeps earlier steps', async () => {
    const result = await play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent }) => {
      await (await agent('alice')).account();
      throw new Error('two is not three');
    });`);
    expect(result).toMatchObject({
      verdict: 'failed',
      reason: 'the script threw: two is not three (line 4)',
    });
    expect(everyStep(result.steps).map(({ verdict }) => verdict)).toEqual(['passed']);
  });

  it('names the right line or none in a file that is read as CommonJS', async () => {
    const text = `${IMPORT}type Amount = {
        usdc: number;
      };
      export default scenario('x', async () => {
        throw new Error('two is not three');
      });`;
    const at = temporaryFolder();
    writeFileSync(join(at, 'a.scenario.ts'), text);
    const [scenario] = await loadFile('a.scenario.ts', at);
    if (scenario === undefined) throw new Error('there is no scenario');
    const { reason } = await playScenario(scenario, PLAY_OPTIONS);
    // Node 20 has no location in such files.
    expect(reason).toMatch(/^the script threw: two is not three(?: \(line 6\))?$/);
    expect([1, 5]).toContain(scenario.line);
  });

  it('fails when a step that is not awaited fails', async () => {
    const withSteps = (body: string) =>
      play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent }) => {
        const alice = await agent('alice');
        ${body}
      });`);
    expect(troubles(await withSteps(`void alice.account();`))).toEqual([]);
    const failing = `alice.withdraw({ amount: 1, token: 'USDC' })`;
    for (const body of [
      `void ${failing};`,
      `await Promise.all([${failing}, alice.account(), ${failing}]);`,
    ]) {
      const { verdict, reason, steps } = await withSteps(body);
      expect({ verdict, reason }, body).toEqual({ verdict: 'failed', reason: null });
      expect(steps[0]?.mismatches, body).toMatchObject([{ expected: 'success' }]);
      expect(steps.every((step) => step !== undefined)).toBe(true);
    }
    const thrown = await withSteps(`void alice.account(); throw new Error('enough');`);
    expect(thrown).toMatchObject({
      reason: 'the script threw: enough (line 4)',
      steps: [{ verdict: 'passed' }],
    });
  });

  it('rejects a reserved name for an agent', async () => {
    const result = await play(
      `export default scenario('x', async ({ agent }) => void (await agent('time')));`,
    );
    expect(result.reason).toMatch(/time has another meaning/);
  });

  it('rejects a second creation of an agent', async () => {
    const result = await play(`export default scenario('x', { agents: { alice: {} } }, async ({ agent }) => {
      await agent('alice', { usdc: 5 });
    });`);
    expect(result.reason).toMatch(/the scenario has an agent alice already/);
  });

  it('plays several steps at once and lists them in the order of their calls', async () => {
    const result =
      await play(`export default scenario('x', { agents: { alice: { checking: { usdc: 100 } } } }, async ({ agent }) => {
      const alice = await agent('alice');
      await Promise.all([alice.account(), alice.loans(), alice.withdraw({ amount: 1, token: 'USDC' })]);
    });`);
    expect(troubles(result)).toEqual([]);
    expect(result.steps.map(({ title }) => title)).toEqual([
      'alice.account',
      'alice.loans',
      'alice.withdraw',
    ]);
  });
});
