// @module-tag slow
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, startedCommand } from './process.js';
import { IMPORT, filesWith } from './scenario-files.js';

/** A file of scripts; each text is the body of one. */
function fileOf(bodies: readonly string[]): string {
  const list = bodies.map(
    (body, at) => `scenario('number ${at + 1}', async ({ agent, sim, expect }) => {
      const alice = await agent('alice');
      await alice.account();
      ${body}
    })`,
  );
  const folder = filesWith({ 'a.scenario.mts': `${IMPORT}\nexport default [${list.join(',\n')}];\n` });
  return join(folder, 'a.scenario.mts');
}

/** Runs scripts in their own process; each text is the body of one. */
const played = (...bodies: string[]) => playedWith([], ...bodies);
const playedWith = (flags: readonly string[], ...bodies: string[]) =>
  run('run', fileOf(bodies), '--engine', 'litesvm', ...flags);

describe('misbehaving scenario script', () => {
  it.each([{ flags: [] }, { flags: ['--workers', '2'] }])(
    'fails the run with an unhandled rejection, while other scenarios run: $flags',
    async ({ flags }) => {
      const rejects = "void Promise.reject(new Error('boo'));";
      const { code, stdout, stderr } = await playedWith(flags, rejects, '');
      expect(stderr).toContain('a promise was rejected in a script that did not await it: boo');
      expect(stdout).toContain('2 scenarios: 2 passed');
      expect(code).toBe(1);
    },
  );

  it('fails the run with an uncaught error', async () => {
    const { code, stderr } = await played("queueMicrotask(() => { throw new Error('late'); });", '');
    expect(stderr).toContain('an error was thrown in a script that did not await it: late');
    expect(code).toBe(1);
  });

  it('fails the run when it ends the process', async () => {
    const { code, stderr } = await played('process.exit(0);', '');
    expect(stderr).toContain('a script ended the process before all scenarios had run');
    expect(code).toBe(1);
  });

  it('fails with a misplaced expectation, an expected promise or a wrong date', async () => {
    const { code, stdout } = await played(
      'await alice.account({ expect: { status: 500 } });',
      'await alice.account({}, { expects: { status: 500 } });',
      'expect(alice.account(), {});',
      'expect(sim.now(), new Date(0));',
    );
    expect(stdout).toContain('the expectation belongs in the second argument');
    expect(stdout).toContain('beside its arguments, not expects');
    expect(stdout).toContain('expect received a promise; await it first');
    expect(stdout).toContain('"1970-01-01T00:00:00.000Z"');
    expect(stdout).toContain('4 scenarios: 0 passed, 4 failed');
    expect(code).toBe(1);
  });

  it.each([
    "(await import('node:http')).createServer(() => undefined).listen(0);",
    'setInterval(() => undefined, 1_000);',
  ])('does not keep the process once its reports are written: %s', async (body) => {
    const { code, stdout, stderr } = await played(body);
    expect(stdout).toContain('1 scenario: 1 passed');
    expect(stderr).toContain('left a timer or server open');
    expect(code).toBe(0);
  });

  it('writes all of a long report when a timer is left open', async () => {
    const file = fileOf([
      'setInterval(() => undefined, 1_000); for (let i = 0; i < 500; i += 1) await alice.account();',
    ]);
    const command = startedCommand(['run', file, '--engine', 'litesvm', '--reporter', 'json']);
    expect(await command.ended()).toBe(0);
    expect(command.stdout).toMatch(/"kind":"end".*\n$/);
  });

  it('is ended by its time limit, in a worker even in an endless loop', async () => {
    const flags = ['--engine', 'litesvm', '--seed', '5', '--timeout', '0.2', '--workers', '2'];
    const { code, stdout } = await run('run', fileOf(['for (;;);']), ...flags);
    expect(stdout).toContain('not finished within 0.2 s; its process did not respond and was ended');
    expect(stdout).toContain('5 (in-process, litesvm)');
    expect(stdout).toMatch(/rerun +npx sim run .*#1 --seed 5 --engine litesvm\n/);
    expect(code).toBe(1);
  });
});
