import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type FailureFile,
  GOALS,
  PROPERTIES,
  type Step,
  writeFailure,
} from '../../src/testing/fuzz-library.js';
import { inProcessFuzz } from '../../src/testing/drivers/in-process-fuzz.js';
import { failureByHand } from '../testing/fuzz/by-hand.js';
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js';
import { type Ended, here } from './here.js';

const fuzz = (...args: string[]): Promise<Ended> => here('fuzz', ...args);
const somewhere = () => join(temporaryFolder(), 'failures');

/** A counterexample that signs in, then runs one command. */
function counterexample(command: string, args: Step['with'] = {}, by = 'ann'): FailureFile {
  const first = { id: 1, do: 'signIn', by: 'ann', with: {} };
  return failureByHand([first, { id: 2, do: command, by, with: args }], 1);
}

/** A counterexample that fails: there is no such agent. */
const FAILING = counterexample('signIn', {}, 'nobody');

const written = (file: FailureFile) => temporaryFile(writeFailure(file), 'by-hand.json');

describe('sim fuzz', () => {
  it('prints a summary and exits with 0 when every rule held', { tags: ['slow'] }, async () => {
    const { code, stdout } = await fuzz('--runs', '30', '--out', somewhere());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Every rule held in 30 runs of [\d,]+ steps/);
    expect(stdout).toMatch(/Closest approach: daily withdrawals [\d.]+ %/);
    expect(stdout).toContain('Never reached: ');
  });

  it.each(PROPERTIES.filter(({ goals }) => goals !== undefined).map(({ name }) => name))(
    'lists only goals that --property %s aims at',
    async (property) => {
      const { stdout } = await fuzz('--runs', '1', '--property', property, '--json', '--out', somewhere());
      const goals = Object.keys((JSON.parse(stdout) as { goals: object }).goals);
      expect(goals.length).toBeGreaterThan(0);
      expect(goals.length).toBeLessThan(GOALS.length / 2);
      expect(GOALS).toEqual(expect.arrayContaining(goals));
    },
  );

  it.each([
    [['--property', 'luck'], /--property cannot be luck\.\nAllowed: everything, limits/],
    [['--time-budget', 'soon'], /--time-budget soon: expected a duration/],
    [['--queue', 'redis://127.0.0.1:1', '--workers', '2'], /--workers: not available with --queue/],
    [
      ['--queue', 'redis://127.0.0.1:1', '--name', 'ci:main'],
      /--name ci:main: expected letters, digits, dots/,
    ],
    [['--runs', '0'], /--runs must be a whole number from 1/],
    [['--variant', 'luck=good'], /--variant luck: unknown option\.\nAllowed: overview/],
    [['--variant', 'overview=C'], /--variant overview: cannot be C\. Allowed: merged, A, B/],
    [['--variant', 'review=delay:1d'], /knows the review policies manual and auto, not "delay:1d"/],
  ])('rejects %j with exit code 2', async (args, message) => {
    const { code, stderr, stdout } = await fuzz(...args, '--out', somewhere());
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('crashes with a stack at a RangeError of the world, which is no wrong usage', async () => {
    const opened = vi.spyOn(inProcessFuzz, 'open').mockRejectedValue(new RangeError('Invalid array length'));
    onTestFinished(() => opened.mockRestore());
    const { code, stderr } = await fuzz('--runs', '1', '--out', somewhere());
    expect(stderr).toMatch(/^sim: RangeError: Invalid array length\n +at /);
    expect(code).toBe(1);
  });

  it.each([
    [[], []],
    [['--limit', 'idempotencyKeys=5', '--limit', 'loanApplications=6'], ['code idempotency_keys_full']],
    [['--property', 'other-limits', '--limit', 'idempotencyKeys=100000'], ['code loan_applications_full']],
  ])('has the goals that can be reached with %j', async (limits, more) => {
    const { stdout } = await fuzz('--runs', '1', ...limits, '--json', '--out', somewhere());
    const goals = Object.keys((JSON.parse(stdout) as { goals: object }).goals);
    expect(goals).toContain('code payload_too_large');
    expect(goals.filter((goal) => goal.endsWith('_full'))).toEqual(more);
  });

  it('replays the known counterexamples first and stops when one cannot be read', async () => {
    const out = somewhere();
    mkdirSync(out);
    writeFileSync(join(out, 'good.json'), writeFailure(counterexample('account')));
    expect((await fuzz('--runs', '2', '--out', out)).code).toBe(0);
    writeFileSync(join(out, 'odd.json'), '{}');
    expect(await fuzz('--runs', '2', '--out', out)).toMatchObject({ code: 2, stdout: '' });
  });

  it('searches on while a known counterexample fails, and exits with 1', async () => {
    const out = somewhere();
    mkdirSync(out);
    writeFileSync(join(out, 'bad.json'), writeFailure(FAILING));
    const { code, stdout, stderr } = await fuzz('--runs', '2', '--out', out);
    expect(stderr).toMatch(/bad\.json: FAILED at step 2: an exception/);
    expect(stderr).toMatch(/sim: 1 counterexample of .* still fails; searching for other failures/);
    expect(stdout).toMatch(/^Every rule held in 2 runs/);
    expect(code).toBe(1);
  });

  it('counts the known counterexamples that it could not check, and exits with 0', async () => {
    const out = somewhere();
    mkdirSync(out);
    const file = counterexample('account');
    writeFileSync(join(out, 'own.json'), writeFailure({ ...file, ownModel: true }));
    const { code, stdout, stderr } = await fuzz('--runs', '1', '--out', out);
    expect(stderr).toMatch(/own\.json: UNCHECKED: it was found by a model/);
    expect(stdout).toMatch(/\n1 saved counterexample was not checked: [^\n]*replay\(\)[^\n]*\n$/);
    expect(code).toBe(0);
  });

  it('stores and resumes a corpus, and refuses what is none', { tags: ['slow'] }, async () => {
    const at = join(temporaryFolder(), 'corpus');
    await fuzz('--runs', '30', '--corpus', at, '--out', somewhere());
    const kept = readdirSync(at);
    expect(kept.length).toBeGreaterThan(5);
    // Nothing is written twice.
    await fuzz('--runs', '1', '--corpus', at, '--out', somewhere());
    expect(readdirSync(at).length).toBeLessThanOrEqual(kept.length + 5);
    writeFileSync(join(at, 'odd.json'), '{"format":"x"}');
    expect(await fuzz('--corpus', at, '--out', somewhere())).toMatchObject({ code: 2, stdout: '' });
  });

  it('plays the runs from a number on, and says with which an interrupted campaign goes on', async () => {
    const told = async (...args: string[]) =>
      JSON.parse((await fuzz('--json', '--out', somewhere(), ...args)).stdout) as {
        runs: number;
        next: number;
      };
    expect(await told('--runs', '4', '--path', '20')).toMatchObject({ runs: 4, next: 24 });
  });
});

describe('sim replay', () => {
  it('prints FIXED with exit code 0', async () => {
    const { code, stdout } = await here('replay', written(counterexample('account')));
    expect(stdout).toBe('FIXED: by-hand, 2 steps\n');
    expect(code).toBe(0);
  });

  it('prints FAILED and the failing step with exit code 1', async () => {
    const { code, stdout } = await here('replay', written(FAILING));
    expect(stdout).toMatch(
      /^FAILED at step 2 of 2: by-hand\n {2}s2 {2}nobody\.signIn \{\}\n {2}an exception: there is no agent nobody/,
    );
    expect(code).toBe(1);
  });

  it('says with exit code 3 that the rule that found a counterexample is missing', async () => {
    const file = counterexample('account');
    const own = { ...file, failure: { ...file.failure, rule: 'noAccounts' } };
    const { code, stdout } = await here('replay', written(own));
    expect(stdout).toBe(
      'UNCHECKED: by-hand, 2 steps: it was found by the rule noAccounts; pass it to replay() of agent-bank-sim/fuzz\n',
    );
    expect(code).toBe(3);
    const byModel = await here('replay', written({ ...file, ownModel: true }), '--json');
    expect(JSON.parse(byModel.stdout)).toEqual({ verdict: 'UNCHECKED', failure: null, missing: 'a model' });
    expect(byModel.code).toBe(3);
  });

  it('runs on the other engine and prints JSON', async () => {
    const path = written(counterexample('account'));
    const { stdout } = await here('replay', path, '--engine', 'bankrun', '--json');
    expect(JSON.parse(stdout)).toEqual({ verdict: 'FIXED', failure: null });
  });

  it.each([
    ['an unknown command', () => written(counterexample('juggle')), /no command juggle/],
    ['a missing file', () => join(temporaryFolder(), 'nothing.json'), /cannot be read \(ENOENT\)/],
    ['another format', () => temporaryFile('{"format":"else"}'), /is not a counterexample/],
    [
      'a state file',
      () => join('fixtures', 'worlds', 'empty.sim'),
      /open it with sim inspect or sim start --state/,
    ],
  ])('rejects %s with exit code 2', async (_what, make, message) => {
    const { code, stderr } = await here('replay', make());
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
