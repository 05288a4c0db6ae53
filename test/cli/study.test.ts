// @module-tag slow
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { SMALL, written } from '../testing/study/studies.js';
import { here } from './here.js';
import { run, startedCommand } from './process.js';

/** The files of a folder and below, by path. */
function filesOf(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    names.map(({ parentPath, name }) => [
      join(parentPath, name).slice(path.length),
      readFileSync(join(parentPath, name), 'base64'),
    ]),
  );
}

const MANY = SMALL.replace('repetitions: 2', 'repetitions: 8');

const started = (...args: string[]) => startedCommand(args);

/** Resolves when a study has the result of a run. */
const hasRun = (out: string, number: number) =>
  vi.waitFor(() => expect(existsSync(join(out, 'unfinished', `run-${number}.json`))).toBe(true), 60_000);

describe('sim study', () => {
  it('writes the same bytes with one and with two workers', async () => {
    const file = written(SMALL);
    const [one, two] = [join(temporaryFolder(), 'one'), join(temporaryFolder(), 'two')];
    const ended = await here('study', file, '--out', one);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain('4 runs of 2 points');
    expect((await run('study', file, '--out', two, '--workers', '2')).code).toBe(0);
    expect(filesOf(two)).toEqual(filesOf(one));
    expect(Object.keys(filesOf(one)).toSorted()).toEqual([
      '/manifest.json',
      '/metrics.csv',
      '/metrics.parquet',
      '/report.html',
      '/summary.csv',
    ]);
  });

  it('goes on after a kill -9 to the same bytes', async () => {
    const file = written(MANY);
    const [whole, out] = [join(temporaryFolder(), 'whole'), join(temporaryFolder(), 'out')];
    const command = started('study', file, '--out', out, '--workers', '2');
    await hasRun(out, 3);
    await command.endedBy('SIGKILL');
    expect(existsSync(join(out, 'manifest.json'))).toBe(false);
    expect((await run('study', '--resume', out)).code).toBe(0);
    expect((await here('study', file, '--out', whole)).code).toBe(0);
    expect(filesOf(out)).toEqual(filesOf(whole));
  });

  it('ends the current runs at Ctrl-C, and says how to go on', async () => {
    const out = join(temporaryFolder(), 'out');
    const command = started('study', written(MANY), '--out', out);
    await hasRun(out, 1);
    expect(await command.endedBy('SIGINT')).toBe(130);
    expect(command.stderr).toContain(`sim: interrupted; continue with: sim study --resume ${out}\n`);
    expect((await run('study', '--resume', out)).code).toBe(0);
  });

  it('exits with 1 after a failed run, and keeps its world for the inspector', async () => {
    const own = `export const personas = { odd: { begins: { wallet: { usdc: 1, sol: 1 } }, act: (_, { tick }) => ({ do: tick === 2 ? 'fly' : 'account' }) } };`;
    const file = written(
      'name: a\nmodule: ./own.mjs\npopulation: { count: 2, personas: { odd: 1 } }\nspan: 3d\n',
      { 'own.mjs': own },
    );
    const out = join(temporaryFolder(), 'out');
    const { code, stdout } = await here('study', file, '--out', out);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `run 1 failed at tick 2, seed study/1/1: error: there is no action fly; sim inspect ${out}/failures/run-1.sim\n`,
    );
    expect(
      (await here('export', join(out, 'books.csv'), '--state', join(out, 'failures/run-1.sim'))).code,
    ).toBe(0);
  });

  it('opens the world of any run at any tick in the inspector', async () => {
    const file = written(SMALL);
    const out = join(temporaryFolder(), 'out');
    const { stdout } = await here('study', file, '--out', out, '--seed', '9', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ seed: 'study/9/1' }, {}, {}, {}] });
    const command = started('study', file, '--seed', '9', '--inspect', '3', '--tick', '4');
    await command.complained('Stop with Ctrl-C');
    expect(command.stderr).toContain('run 3 after tick 4, 2026-01-05T00:00:00.000Z\n');
    const origin = new URL((await command.printed('/inspector')).trim()).origin;
    const control = new ControlClient({ origin });
    const { accounts } = await control.do('trialBalance');
    const checking = accounts.find(({ account, token }) => account === 'checking' && token === 'USDC');
    const measured = readFileSync(join(out, 'metrics.csv'), 'utf8')
      .split('\n')
      .find((line) => /^2,1000,1,3,4,[^,]+,balances,checking\/USDC,/.test(line));
    expect(measured?.split(',').at(-1)).toBe(String(checking?.credit));
    expect((await control.do('customers')).size).toBe(16);
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it.each([
    ['no file', [], 'give a study file, or --resume'],
    ['a missing file', ['none.yaml'], 'none.yaml:1:1: cannot be read (ENOENT)'],
    ['a folder without a study', ['--resume', '.'], 'contains no unfinished study'],
    ['a file with --resume', ['a.yaml', '--resume', '.'], 'omit file'],
    ['--tick alone', ['a.yaml', '--tick', '3'], '--tick needs --inspect'],
    ['--inspect with a folder', ['a.yaml', '--inspect', '1', '--out', 'o'], 'leave out --out'],
    ['a bad number of workers', ['a.yaml', '--workers', '0'], '--workers must be a whole number'],
  ])('refuses %s', async (_what, args, message) => {
    const { code, stderr } = await here('study', ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
