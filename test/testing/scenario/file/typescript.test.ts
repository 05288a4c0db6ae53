import { describe, expect, it } from 'vitest';
import { playScenario } from '../../../../src/testing/scenario/play/play.js';
import { failureText } from '../../../../src/testing/scenario/reporters/failure-text.js';
import { PLAIN } from '../../../../src/testing/scenario/reporters/reporter.js';
import type { ScenarioResult } from '../../../../src/testing/scenario/results.js';
import { BrokenFile, type Scenario } from '../../../../src/testing/scenario/scenario.js';
import type { PlayOptions } from '../../../../src/testing/scenario/play/play-options.js';
import { PLAY_OPTIONS, SCRIPT_IMPORT, loaded, loadedScript, playedScript, troubles } from '../played.js';

/** Plays what alice, who has 100 USDC in checking, does in a script. */
function playing(body: string, options: Partial<PlayOptions> = {}): Promise<ScenarioResult> {
  const agents = '{ agents: { alice: { checking: { usdc: 100 } } } }';
  const script = `export default scenario('x', ${agents}, async ({ agent, sim, expect }) => {
    const alice = await agent('alice');
    ${body}
  });`;
  return playedScript(script, options);
}

/** A withdrawal that is refused. */
const REFUSED = `alice.withdraw({ amount: 5000, token: 'USDC' })`;

async function broken(text: string): Promise<BrokenFile> {
  const error: unknown = await loadedScript(text).catch((problem: unknown) => problem);
  if (error instanceof BrokenFile) return error;
  throw new Error(`not broken: ${String(error)}`);
}

describe('TypeScript scenario file', () => {
  it('gives a scenario with all its options', async () => {
    const [scenario, ...others] = await loadedScript(
      `${SCRIPT_IMPORT}const name: string = 'a scripted one';
      export default scenario(name, { tags: ['slow'], world: { seed: 5 }, agents: { alice: { usdc: 1 } } },
        async () => undefined);`,
    );
    expect(others).toEqual([]);
    expect(scenario).toMatchObject({
      id: 'a.scenario.ts',
      file: 'a.scenario.ts',
      line: 3,
      name: 'a scripted one',
      tags: ['slow'],
      world: { seed: 5 },
      agents: { alice: { usdc: 1 } },
      invariants: 'always',
      play: { kind: 'script' },
    });
  });

  it('holds a list of scenarios and properties', async () => {
    const found = await loadedScript(
      `${SCRIPT_IMPORT}export default [
        scenario('one', async () => undefined),
        property('two', { runs: 3, agents: 1, tags: ['random'] }),
        property('three', { operations: ['withdraw'] }, () => undefined),
      ];`,
    );
    const two = { kind: 'property', property: { runs: 3, agents: 1, steps: 30 }, check: null };
    const three = { kind: 'property', check: expect.any(Function) as unknown };
    expect(found).toMatchObject([
      { id: 'a.scenario.ts', name: 'one', play: { kind: 'script' } },
      { id: 'a.scenario.ts#2', name: 'two', tags: ['random'], play: two },
      { id: 'a.scenario.ts#3', name: 'three', play: three },
    ]);
  });

  it('imports other files beside it', async () => {
    const text = `${SCRIPT_IMPORT}import { NAME } from './names.js';\nexport default scenario(NAME, async () => undefined);\n`;
    const others = { 'names.ts': `export const NAME: string = 'from another file';\n` };
    expect(await loaded(text, 'a.scenario.ts', others)).toMatchObject([{ name: 'from another file' }]);
  });

  it('is rejected with line and column of a syntax error', async () => {
    const { line, column, reason, file } = await broken(`${SCRIPT_IMPORT}\nconst x = ;\n`);
    expect({ line, column, file }).toEqual({ line: 3, column: 11, file: 'a.scenario.ts' });
    expect(reason).toMatch(/Unexpected ";"/);
  });

  const none = /must export default scenario\(/;
  const odd = (options: string) =>
    `${SCRIPT_IMPORT}export default scenario('odd', ${options} as never, async () => undefined);`;
  it.each([
    ['export const x = 1;', none],
    ['export default 5;', none],
    ['export default null;', none],
    ['export default Object.create(null);', none],
    [`export default { name: 'x', steps: [] };`, none],
    [`${SCRIPT_IMPORT}export default [scenario('one', async () => undefined), {}];`, none],
    [`throw new Error('no luck today');`, /^no luck today$/],
    [`import './nowhere.js';\nexport default 1;`, /Cannot find module .*nowhere/],
    [odd(`{ world: { variants: { overview: 'C' } } }`), /^odd: world\.variants\.overview: /],
    [odd(`{ agents: { treasury: {} } }`), /^odd: agents\.treasury: /],
    [`${SCRIPT_IMPORT}export default property('odd', { operations: ['fly'] });`, /^odd: .*no action fly/],
  ])('is rejected with the reason: %j', async (text, reason) => {
    expect((await broken(text)).reason).toMatch(reason);
  });
});

describe('line numbers of a TypeScript file', () => {
  const MODULE = `${SCRIPT_IMPORT}
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
  scenario('asks', { invariants: 'end' }, async ({ sim }) => {
    const ask = async () => sim.time.advance('1d', { expect: { status: 500 } });
    await ask();
  }),
];
`;

  it('refer to the scenarios, steps and expectations of the source', async () => {
    const results: ScenarioResult[] = [];
    for (const each of await loadedScript(MODULE, 'a.scenario.mts'))
      results.push(await playScenario(each, PLAY_OPTIONS));
    const failed = results.map(({ line, steps }) => {
      const step = steps.find(({ verdict }) => verdict === 'failed');
      return `${line}, step ${step?.line}`;
    });
    expect(failed).toEqual(['7, step 11', '19, step 22', '24, step undefined', '27, step 28']);
    expect(results[0]?.steps.at(-1)?.mismatches).toMatchObject([{ path: 'checking.usdc' }]);
    expect(results[2]?.reason).toBe('the script threw: two is not three (line 25)');
    expect(failureText(results[0] as ScenarioResult, { columns: 100, paint: PLAIN })).toContain(
      '  a.scenario.mts:7\n  step 3  expect (a.scenario.mts:11)\n',
    );
  });

  it('refer to the scenario with an invalid option', async () => {
    const wrong = loadedScript(MODULE.replace(`invariants: 'end'`, `invariants: 'odd'`), 'a.scenario.mts');
    await expect(wrong).rejects.toMatchObject({ name: 'BrokenFile', line: 27 });
  });
});

describe('scripted scenario', () => {
  it('plays verbs as methods, reads responses and creates agents', async () => {
    const result = await playing(`
        const bob = await agent('bob', { savings: { usdc: 50 } });
        const paid = await alice.x402.pay({ recipient: bob.address, amount: 10, token: 'USDC' }, { note: 'a gift', key: 'k' });
        expect(paid, { status: 200, tx_signature: { type: 'string' } });
        await sim.time.advance('1d');
        expect(sim.now().toISOString(), '2026-01-02T00:00:00.000Z');
        await alice.withdraw({ amount: 5000, token: 'USDC' }, { expect: { code: 'insufficient_balance' } });
        await sim.holds({ chain: { bob: { usdc: 0 } }, journal: { checking: { USDC: 90 } } });
        expect((await bob.client().account()).savings.usdc, { atLeast: 50 });
        expect([sim.treasury, sim.usdcMint], { each: { type: 'string' } });`);
    expect(troubles(result)).toEqual([]);
    const made = ['bob.deposit', 'bob.savings.deposit', 'alice.x402.pay'];
    const checked = ['expect', 'time.advance', 'expect', 'alice.withdraw', 'holds', 'expect', 'expect'];
    expect(result.steps.map(({ title }) => title)).toEqual([...made, ...checked]);
    expect(result.steps[2]).toMatchObject({ note: 'a gift', args: { amount: 10 } });
    expect(result.steps[2]?.exchanges.at(-1)?.requestHeaders).toMatchObject({ 'idempotency-key': 'k' });
  });

  it('ends at the first failed step and fails even when the error is caught', async () => {
    const result = await playing(`await alice.account(); await ${REFUSED}; await alice.loans();`);
    expect(troubles(result)).toEqual([
      '2 alice.withdraw: : success, but 400 insufficient_balance: The checking balance is too small.',
      'failed',
    ]);
    expect(result.steps).toHaveLength(2);
    const caught = await playing(`await ${REFUSED}.catch(() => undefined); await alice.account();`);
    expect(caught.verdict).toBe('failed');
  });

  it('names the right line or none in a file that is read as CommonJS', async () => {
    const text = `${SCRIPT_IMPORT}type Amount = {
        usdc: number;
      };
      export default scenario('x', async () => {
        throw new Error('two is not three');
      });`;
    const [scenario] = (await loaded(text, 'a.scenario.ts')) as [Scenario];
    const { reason } = await playScenario(scenario, PLAY_OPTIONS);
    // Node 20 has no location in such files.
    expect(reason).toMatch(/^the script threw: two is not three(?: \(line 6\))?$/);
    expect([1, 5]).toContain(scenario.line);
  });

  it.each([
    ['sim.holds({ noEvents: ["loan.lost"] })', 'noEvents.0: there is no event loan.lost; there are loan.'],
    ['alice.account({}, { expect: { noEvents: ["x"] } })', 'noEvents.0: there is no event x; there are '],
    ['sim.holds({ chain: { alice: { usdc: { abov: 1 } } } })', 'chain.alice.usdc.abov: there is no matcher'],
  ])('rejects an expectation that could never fail: %s', async (body, reason) => {
    const result = await playing(`await ${body};`);
    expect(result.reason).toContain(`the script threw: ${reason}`);
    expect(result.steps).toEqual([]);
  });

  it('names an unknown agent in an expectation of the chain', async () => {
    const { steps } = await playing('await sim.holds({ chain: { alcie: { usdc: 1 } } });');
    expect(steps.at(-1)?.problem).toBe('alcie is neither an agent nor an address; did you mean alice?');
  });

  it('says how an agent that uses fetch gets an address', async () => {
    const cause = 'getaddrinfo ENOTFOUND sim.local';
    const { reason } = await playing(
      `throw new TypeError('fetch failed', { cause: new Error('${cause}') });`,
    );
    expect(reason).toContain('sim.local: this world has no address; run with --target http (line');
  });

  it('fails when a step that is not awaited fails', async () => {
    expect(troubles(await playing(`void alice.account();`))).toEqual([]);
    for (const body of [`void ${REFUSED}`, `await Promise.all([${REFUSED}, alice.account(), ${REFUSED}])`]) {
      const { steps, ...result } = await playing(`${body};`);
      expect(result, body).toMatchObject({ verdict: 'failed', reason: null });
      expect(steps[0]?.mismatches, body).toMatchObject([{ expected: 'success' }]);
      expect(steps.every((step) => step !== undefined)).toBe(true);
    }
    expect(await playing(`void alice.account(); throw new Error('enough');`)).toMatchObject({
      reason: 'the script threw: enough (line 4)',
      steps: [{ verdict: 'passed' }],
    });
  });

  it.each([
    ['time', '{}', /time has another meaning/],
    ['alice', '{ usdc: 5 }', /the scenario has an agent alice already/],
  ])('rejects a reserved name for an agent, and a second creation: %s', async (name, holdings, reason) => {
    expect((await playing(`await agent('${name}', ${holdings});`)).reason).toMatch(reason);
  });

  it('plays several steps at once and lists them in the order of their calls', async () => {
    const result = await playing('await Promise.all([alice.account(), alice.loans(), alice.profile()]);');
    expect(troubles(result)).toEqual([]);
    const titles = ['alice.account', 'alice.loans', 'alice.profile'];
    expect(result.steps.map(({ title }) => title)).toEqual(titles);
  });
});
