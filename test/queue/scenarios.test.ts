import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Command, startedCommand } from '../cli/process.js';
import { BROKE, IMPORT } from '../cli/scenario-files.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ownQueue } from './support.js';

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));

const looks = (name: string, times = 1) =>
  `name: ${name}\nagents: { alice: {} }\nsteps: [{ repeat: { times: ${times}, steps: [alice.account] } }]\n`;
/** So many that what a test does to them finds them running. */
const COUNT = 24;
const MANY = Array.from({ length: COUNT }, (_, at) => looks(`alice looks ${at}`, 60)).join('---\n');

/** A machine's folder with scenarios. */
function project(files: Readonly<Record<string, string>>): string {
  const path = temporaryFolder();
  symlinkSync(MODULES, join(path, 'node_modules'));
  mkdirSync(join(path, 'scenarios'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const RUN = ['run', '--engine', 'litesvm'];

/** A queue of a test's own, and the runs of a folder's scenarios on it. */
function queue() {
  const own = ownQueue();
  return {
    ...own,
    run: (cwd: string, ...args: readonly string[]) => own.started([...RUN, ...args], cwd),
    worker: (cwd: string) => own.worker(1, cwd),
  };
}

/** A report without figures of real time. */
function untimed(text: string): string {
  return text.replaceAll(/"(ms|durationMs)":[\d.]+|"startedAt":"[^"]*"/g, '');
}

/** Compares a report with that of the same run on this machine. */
async function sameAsOn(cwd: string, { stdout }: Command): Promise<void> {
  const local = startedCommand([...RUN, '--reporter', 'json'], {}, { cwd });
  expect(await local.ended(), local.stderr).not.toBeNull();
  const [lines, expected] = [untimed(stdout).split('\n'), untimed(local.stdout).split('\n')];
  const at = expected.findIndex((line, index) => line !== lines[index]);
  // Lines are too long to be shown.
  expect(lines[at]?.slice(0, 200)).toBe(expected[at]?.slice(0, 200));
  expect([at, lines.length]).toEqual([-1, expected.length]);
}

describe('sim run --queue', () => {
  it('reports as on one machine', async () => {
    const script = `${IMPORT}\nexport default scenario('alice looks by herself', async ({ agent }) => { await (await agent('alice')).account(); });\n`;
    const cwd = project({
      'scenarios/a.yaml': `${looks('alice looks')}---\n${BROKE}---\n${looks('alice looks again')}`,
      'scenarios/b.scenario.mts': script,
    });
    const here = queue();
    for (const _ of [1, 2]) await here.worker(cwd);
    const command = here.run(cwd, '--reporter', 'json');
    expect(await command.ended(), command.stderr).toBe(1);
    await sameAsOn(cwd, command);
    expect(command.stdout).toMatch(/"tally":\{"passed":3,"failed":1,"skipped":0,"flaky":0,"notFinished":0\}/);
    const { stdout } = await here.campaign('status', 'scenarios', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'finished', done: 4, total: 4, found: 1 });
  });

  it('fails with an unhandled rejection of a script', async () => {
    const script = `${IMPORT}\nexport default scenario('alice hurries', async ({ agent }) => { await (await agent('alice')).account(); void Promise.reject(new Error('boo')); });\n`;
    const cwd = project({ 'scenarios/a.scenario.mts': script });
    const here = queue();
    await here.worker(cwd);
    const command = here.run(cwd);
    expect(await command.ended()).toBe(1);
    expect(command.stdout).toContain('1 scenario: 1 passed');
    expect(command.stderr).toContain('a promise was rejected in a script that did not await it: boo');
  });

  it('reports as on one machine when a worker is killed', async () => {
    const cwd = project({ 'scenarios/a.yaml': MANY });
    const here = queue();
    const [first] = [await here.worker(cwd), await here.worker(cwd)];
    const command = here.run(cwd, '--reporter', 'json');
    await command.printed('"kind":"scenario"');
    first?.kill('SIGKILL');
    expect(await command.ended(), command.stderr).toBe(0);
    await sameAsOn(cwd, command);
  });

  it('fails scenarios that a worker does not have, or has otherwise, and says where', async () => {
    const helper = `export const word = 'looks';\n`;
    const script = `${IMPORT}\nimport { word } from './helper.mjs';\nexport default scenario('alice ' + word, async ({ agent }) => { await agent('alice'); });\n`;
    const same = { 'scenarios/c.scenario.mts': script, 'scenarios/d.yaml': looks('d') };
    const here = queue();
    const there = project({ ...same, 'scenarios/b.yaml': looks('another') });
    await here.worker(there);
    const others = { 'scenarios/a.yaml': looks('a'), 'scenarios/b.yaml': looks('b') };
    const cwd = project({ ...same, ...others, 'scenarios/helper.mjs': helper });
    const command = here.run(cwd);
    expect(await command.ended(), command.stderr).toBe(1);
    const lines = command.stdout.split('\n').filter((line) => /^[✓✗].* ms\)/.test(line));
    const different = (name: string) =>
      `${name} (0 ms): it could not be played: scenarios/${name}.yaml is missing or different in ${there} of`;
    expect(lines).toEqual([
      expect.stringContaining(different('a')),
      expect.stringContaining(different('b')),
      expect.stringMatching(/alice looks \(0 ms\): .* scenarios\/c\.scenario\.mts:1:1: Cannot find module/),
      expect.stringContaining('✓ d'),
    ]);
  });

  it('stops at Ctrl-C, counts nothing as failed that has not begun, and goes on by the same command', async () => {
    const cwd = project({ 'scenarios/a.yaml': MANY });
    const here = queue();
    await here.worker(cwd);
    const report = join(temporaryFolder(), 'report.xml');
    const reporters = ['--reporter', 'json', '--reporter', `junit:${report}`];
    const first = here.run(cwd, ...reporters);
    await first.printed('alice looks 0');
    expect(await first.endedBy('SIGINT'), first.stderr).toBe(130);
    expect(first.stdout).toMatch(
      /"tally":\{"passed":[1-9]\d*,"failed":0,"skipped":0,"flaky":0,"notFinished":[1-9]\d*\}/,
    );
    expect(readFileSync(report, 'utf8')).toMatch(/tests="[1-9]\d*" failures="0"/);
    expect(first.stderr).toContain('sim: run the same command again to continue\n');
    expect((await here.campaign('list')).stdout).toMatch(
      new RegExp(`^scenarios +interrupted +scenarios +[1-9]\\d* +${COUNT} +scenarios +0 `, 'm'),
    );
    const second = here.run(cwd, ...reporters);
    expect(await second.ended(), second.stderr).toBe(0);
    await sameAsOn(cwd, second);
  });

  it('stops without any worker', async () => {
    const cwd = project({ 'scenarios/a.yaml': looks('a') });
    const command = queue().run(cwd);
    await command.complained('the queue has no worker yet');
    expect(await command.endedBy('SIGINT'), command.stderr).toBe(130);
    expect(command.stdout).toContain('0 passed, 0 failed, 0 skipped, 1 not finished');
  });

  it('ends when its campaign is cancelled', async () => {
    const cwd = project({ 'scenarios/a.yaml': MANY });
    const here = queue();
    const worker = await here.worker(cwd);
    const command = here.run(cwd);
    await command.printed('✓ alice looks 0');
    // Nothing ends any more, and still the command does.
    worker.kill('SIGSTOP');
    expect(await here.campaign('cancel', 'scenarios')).toMatchObject({ code: 0 });
    expect(await command.ended()).toBe(1);
    expect(command.stderr).toContain('sim: cancelled by sim campaign cancel\n');
    expect((await here.campaign('list')).stdout).toMatch(/^scenarios +cancelled/m);
  });

  it('shows how far it is, as lines of JSON for programs', async () => {
    const cwd = project({ 'scenarios/a.yaml': MANY });
    const here = queue();
    await here.worker(cwd);
    const command = here.run(cwd, '--reporter', 'json');
    await command.complained('"unit":"scenarios"');
    const line = command.stderr.split('\n').find((each) => each.startsWith('{')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ unit: 'scenarios', total: COUNT, found: 0, coverage: null });
  });

  it.each([
    [['--inspect'], '--queue: start workers with sim worker; leave out --workers and --inspect'],
    [
      ['--base-url', 'http://127.0.0.1:1/api/v1'],
      '--queue: each scenario runs in a fresh world; leave out --base-url',
    ],
  ])('refuses %j', async (more, line) => {
    const command = queue().run(project({ 'scenarios/a.yaml': looks('a') }), ...more);
    expect(await command.ended()).toBe(2);
    expect(command.stderr).toContain(line);
    expect(command.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
