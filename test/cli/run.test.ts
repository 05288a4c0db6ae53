import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScenarioResult, SuiteResult } from '../../src/testing/scenario/results.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type Ended, failing, here, succeeding } from './here.js';
import { run as inProcess } from './process.js';
import { BROKE, IMPORT, LOOKS, filesWith } from './scenario-files.js';

const SAVES = `name: alice saves
tags: [quick]
agents: { alice: { checking: { usdc: 10 } } }
steps: [{ alice.savings.deposit: { amount: 4, token: USDC } }]
`;
/** Two files with three scenarios; the last one fails. */
const mixed = () => filesWith({ 'a.yaml': `${LOOKS}---\n${SAVES}`, 'b.yaml': BROKE });
const good = () => filesWith({ 'a.yaml': `${LOOKS}---\n${SAVES}` });

const run = (...args: string[]): Promise<Ended> => here('run', '--engine', 'litesvm', ...args);

type Line =
  | { kind: 'begin' }
  | ({ kind: 'scenario' } & ScenarioResult)
  | ({ kind: 'end' } & Pick<SuiteResult, 'startedAt'>);

function linesIn(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** The results of a JSON report. */
function resultsIn(text: string): ScenarioResult[] {
  return linesIn(text).filter((line) => line.kind === 'scenario');
}

const namesIn = (text: string) => resultsIn(text).map(({ name, verdict }) => `${name}: ${verdict}`);

/** The wallet that requests the first challenge. */
function signedInBy(text: string): string | undefined {
  const body = resultsIn(text)[0]?.steps[0]?.exchanges[0]?.requestBody;
  return (body as { wallet?: string } | undefined)?.wallet;
}

/** The scenarios that ran, from a JSON report on stdout. */
async function playedBy(...args: string[]): Promise<string[]> {
  const text = await succeeding('run', '--engine', 'litesvm', '--reporter', 'json', ...args);
  return resultsIn(text).map(({ name }) => name);
}

// What it prints, and with which exit code: test/golden.
describe('sim run', () => {
  it('exits with 2 and one line for wrong usage', async () => {
    const at = good();
    const bad = filesWith({ 'bad.json': '[1]', 'words.json': '{ "a": "b" }' });
    const cases: [string[], RegExp][] = [
      [['/nowhere/at/all'], /\/nowhere\/at\/all: no scenario file found/],
      [[temporaryFolder()], /no scenario file found/],
      [[join(at, 'a.yaml#3')], /a\.yaml#3: no such scenario/],
      [[at, '--tag', 'unheard'], /none of 2 scenarios/],
      [[at, '--grep', '('], /--grep \(: Invalid regular expression: .* Unterminated group/],
      [[at, '--shard', '3/2'], /--shard 3\/2: expected index\/count, such as 1\/3/],
      [[at, '--retries', '-1'], /--retries must be a whole number/],
      [[at, '--reporter', 'tap'], /--reporter tap: there is no reporter "tap"; there are pretty, /],
      [[at, '--reporter', 'junit:'], /--reporter junit:: .*needs a file/],
      [[at, '--reporter', 'pretty', '--reporter', 'json'], /only one can write to the terminal/],
      [[at, '--reporter', `json:${join(at, 'a.yaml', 'x')}`], /cannot be written \((ENOTDIR|EEXIST)\)/],
      [[at, '--reporter', 'json:x', '--reporter', 'html:./x'], /two reports cannot share the file \S+\/x/],
      [
        [at, '--reporter', `json:${existsSync('/dev/full') ? '/dev/full' : at}`],
        /--reporter: \/\S+ cannot be written \((ENOSPC|EISDIR)\)/,
      ],
      [[at, '--target', 'moon'], /target/],
      [[at, '--engine', 'cluster'], /engine/],
      [[at, '--base-url', 'nonsense'], /--base-url nonsense: is not a URL/],
      [[at, '--base-url', 'http://127.0.0.1:1/api/v1'], /leave out --target and --engine/],
      [[at, '--rpc-url', 'http://127.0.0.1:1'], /require --base-url/],
      [
        [at, '--base-url', 'http://127.0.0.1:1/api/v1', '--wallet', join(bad, 'words.json')],
        /--wallet: .*words\.json: .*64 numbers/,
      ],
    ];
    for (const [args, message] of cases)
      expect(await failing(2, 'run', '--engine', 'litesvm', ...args), args.join(' ')).toMatch(message);
    const unknown = await run(at, '--tags', 'slow');
    expect([unknown.code, unknown.stderr.split('\n')[0]]).toEqual([
      2,
      'sim: unknown option --tags; did you mean --tag?',
    ]);
    expect(unknown.stderr).not.toContain('--paths');
  });

  it('reports line and column of an invalid file and runs nothing', async () => {
    const at = filesWith({
      'a.yaml': LOOKS,
      'b.yaml': `name: x\nagents: { alice: {} }\nsteps:\n  - alice.dance\n`,
    });
    const { code, stdout, stderr } = await run(at);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^sim: \S*b\.yaml:4:5: steps\.0\S*: an agent cannot dance; it can .*\n$/);
    const script = filesWith({ 'a.scenario.ts': 'export default\n  const;\n' });
    expect((await run(script)).stderr).toMatch(/^sim: \S*a\.scenario\.ts:2:3: Unexpected "const"\n$/);
  });

  it('runs files, folders, globs and single scenarios, each once and in order', async () => {
    const at = good();
    writeFileSync(
      join(at, 'z.scenario.ts'),
      `${IMPORT}\nexport default scenario('a script', async ({ agent }) => { await (await agent('bob')).account(); });\n`,
    );
    writeFileSync(join(at, 'helper.ts'), 'export const x = 1;\n');
    const file = join(at, 'a.yaml');
    expect(await playedBy(at)).toEqual(['alice looks', 'alice saves', 'a script']);
    expect(await playedBy(join(at, 'z.scenario.ts'), file, at)).toEqual([
      'alice looks',
      'alice saves',
      'a script',
    ]);
    expect(await playedBy(join(at, '*.yaml'))).toEqual(['alice looks', 'alice saves']);
    expect(await playedBy(`${file}#2`)).toEqual(['alice saves']);
    expect(await playedBy(`${file}#1`)).toEqual(['alice looks']);
    expect(await playedBy(`${file}#2`, `${file}#1`)).toEqual(['alice looks', 'alice saves']);
  });

  it('selects scenarios by name and tag', async () => {
    const at = mixed();
    expect(await playedBy(at, '--grep', 'LOOKS|saves')).toEqual(['alice looks', 'alice saves']);
    expect(await playedBy(at, '--grep', 'a\\.yaml$')).toEqual(['alice looks']);
    expect(await playedBy(at, '--tag', 'reading')).toEqual(['alice looks']);
    expect(await playedBy(at, '--tag', '!slow')).toEqual(['alice looks', 'alice saves']);
    expect(await playedBy(at, '--tag', 'quick', '--tag', '!reading')).toEqual(['alice saves']);
    expect(await playedBy(at, '--tag', 'quick', '--grep', 'saves')).toEqual(['alice saves']);
  });

  it('lists scenarios with location and tags without running them', async () => {
    const { code, stdout, stderr } = await run(mixed(), '--list');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/a\.yaml:1 {2}alice looks {2}#quick {2}#reading$/);
    expect(lines[1]).toMatch(/a\.yaml#2:\d+ {2}alice saves {2}#quick$/);
    expect(lines[2]).toMatch(/b\.yaml:1 {2}alice is broke {2}#slow$/);
    expect((await run(mixed(), '--list', '--tag', 'slow')).stdout).toMatch(
      /^\S*b\.yaml:1 {2}alice is broke {2}#slow\n$/,
    );
  });

  it('starts no more scenarios after --bail failures', async () => {
    const at = filesWith({ 'a.yaml': BROKE, 'b.yaml': LOOKS, 'c.yaml': BROKE, 'd.yaml': LOOKS });
    const report = async (...args: string[]) =>
      namesIn((await run(at, '--reporter', 'json', ...args)).stdout);
    expect(await report('--bail', '1')).toEqual(['alice is broke: failed']);
    expect(await report('--bail', '2')).toHaveLength(3);
    expect(await report()).toHaveLength(4);
  });

  it('retries a failed scenario and reports that it passed on retry', async () => {
    const flaky = (failures: number) =>
      filesWith({
        'a.scenario.mts': `${IMPORT}
          const tries = { made: 0 };
          export default scenario('flaky', async ({ agent }) => {
            await agent('alice', { checking: { usdc: 1 } });
            tries.made += 1;
            if (tries.made <= ${failures}) throw new Error('not yet');
          });`,
      });
    const once = await run(flaky(1), '--reporter', 'json');
    expect([once.code, resultsIn(once.stdout)[0]?.reason]).toEqual([1, 'the script threw: not yet (line 6)']);
    const twice = await run(flaky(1), '--reporter', 'json', '--retries', '1');
    expect([twice.code, resultsIn(twice.stdout)[0]]).toMatchObject([
      0,
      {
        verdict: 'passed',
        reason: 'failed before, passed on attempt 2: the script threw: not yet (line 6)',
        firstFailure: expect.stringMatching(
          /^✗ flaky\n.*\n {4}reason {4}the script threw: not yet/,
        ) as string,
      },
    ]);
    const never = await run(flaky(3), '--retries', '2', '--reporter', 'json');
    expect([never.code, resultsIn(never.stdout)[0]?.reason]).toEqual([
      1,
      'the script threw: not yet (line 6); failed on each of 3 attempts',
    ]);
  });

  it('fails a scenario after --timeout seconds', async () => {
    const at = filesWith({
      'a.yaml': `${LOOKS.split('steps')[0]}world: { time: real }\nsteps:\n  - wait: { until: { alice.account: {}, expect: { status: 201 } }, within: 1h }\n`,
    });
    const { code, stdout } = await run(at, '--timeout', '0.2');
    expect(code).toBe(1);
    expect(stdout).toContain('not finished within 0.2 s, at step 1.1 (alice.account, line ');
  });

  it('runs with the given seed and reports how to run a scenario again', async () => {
    const at = mixed();
    const walletOf = async (...args: string[]) => {
      const { stdout } = await run(at, '--reporter', 'json', '--grep', 'broke', ...args);
      const [result] = resultsIn(stdout);
      return { seed: result?.seed, rerun: result?.rerun ?? '', wallet: signedInBy(stdout) };
    };
    const [first, second, other] = [
      await walletOf(),
      await walletOf('--seed', '1'),
      await walletOf('--seed', 'other'),
    ];
    expect(second).toEqual(first);
    expect(other.wallet).not.toBe(first.wallet);
    expect(other.rerun).toMatch(/^npx sim run \S*b\.yaml#1 --seed other --engine litesvm$/);
    const again = await here(...other.rerun.split(' ').slice(2), '--reporter', 'json');
    expect(signedInBy(again.stdout)).toBe(other.wallet);
  });
});

describe('reports of sim run', () => {
  it('are written to several files, in folders that are created', async () => {
    const at = mixed();
    const out = (name: string) => join(at, 'out', 'deep', name);
    const { code, stdout } = await run(
      at,
      '--reporter',
      `junit:${out('report.xml')}`,
      '--reporter',
      `json:${out('report.ndjson')}`,
      '--reporter',
      `html:${out('report.html')}`,
    );
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(readFileSync(out('report.xml'), 'utf8')).toMatch(/^<\?xml .*alice is broke/s);
    expect(readFileSync(out('report.html'), 'utf8')).toMatch(/^<!DOCTYPE html>.*alice is broke/s);
    expect(namesIn(readFileSync(out('report.ndjson'), 'utf8'))).toHaveLength(3);
  });
});

describe('shards of sim run', () => {
  it('succeed without a scenario, and say so, when there are more of them than scenarios', async () => {
    const { code, stderr } = await run(mixed(), '--shard', '4/4');
    expect([code, stderr]).toEqual([0, 'sim: shard 4/4 has none of 3 scenarios\n']);
  });

  it('succeed when a deployed service can play none of their scenarios, which fails a whole run', async () => {
    const at = filesWith({ 'a.yaml': LOOKS.replace('agents', 'world: { time: real }\nagents') });
    const skipping = (...args: string[]) =>
      here('run', at, '--base-url', 'http://127.0.0.1:1/api/v1', ...args);
    const stderr = 'sim: no scenario was played: all were skipped\n';
    expect(await skipping()).toMatchObject({ code: 1, stderr });
    expect(await skipping('--shard', '1/1')).toMatchObject({ code: 0, stderr });
  });
});

// Workers are processes of this program; they need a TypeScript loader, which this process does not have.
describe('workers of sim run', () => {
  it('give the same results in the same order as one process', { tags: ['slow'] }, async () => {
    const at = filesWith({
      'a.yaml': `${LOOKS}---\n${SAVES}---\n${BROKE}`,
      'b.yaml': BROKE,
      'c.yaml': SAVES,
      'd.yaml': LOOKS,
      'e.scenario.ts': `${IMPORT}
        export default scenario('a script', async ({ agent }) => { await (await agent('bob')).account(); });`,
    });
    const args = ['run', at, '--engine', 'litesvm', '--reporter', 'json'];
    const [one, two] = [await here(...args), await inProcess(...args, '--workers', '2')];
    expect([two.code, two.stderr]).toEqual([1, '']);
    const withoutTimings = (text: string) =>
      resultsIn(text).map(({ ms: _ms, steps, ...rest }) => ({
        ...rest,
        steps: steps.map(({ place, title, verdict, mismatches, explanation, before, after, at: when }) => {
          const balances = { before, after };
          return { place, title, verdict, mismatches, explanation, ...balances, when };
        }),
      }));
    expect(withoutTimings(two.stdout)).toEqual(withoutTimings(one.stdout));
    expect(linesIn(two.stdout)[0]).toMatchObject({ kind: 'begin', workers: 2, scenarios: 7 });
  });

  it('fail only their own scenario when they die', { tags: ['slow'] }, async () => {
    const at = filesWith({
      'a.scenario.ts': `${IMPORT}
        export default [
          scenario('deadly', async () => { process.exit(7); }),
          scenario('fine', async ({ agent }) => { await (await agent('bob')).account(); }),
        ];`,
      'b.yaml': LOOKS,
    });
    const args = ['--engine', 'litesvm', '--workers', '2', '--reporter', 'json'];
    const { code, stdout } = await inProcess('run', at, ...args);
    expect(code).toBe(1);
    expect(namesIn(stdout)).toEqual(['deadly: failed', 'fine: passed', 'alice looks: passed']);
    expect(resultsIn(stdout)[0]?.reason).toBe('it could not be played: its process ended (exit code 7)');
  });
});
