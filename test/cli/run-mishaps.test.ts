// @module-tag slow
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './process.js';
import { IMPORT, filesWith } from './scenario-files.js';

/** Runs scripts in their own process; each text is the body of one. */
function played(...bodies: string[]) {
  const list = bodies.map(
    (body, at) => `scenario('number ${at + 1}', async ({ agent, sim, expect }) => {
      const alice = await agent('alice');
      await alice.account();
      ${body}
    })`,
  );
  const path = join(
    filesWith({ 'a.scenario.mts': `${IMPORT}\nexport default [${list.join(',\n')}];\n` }),
    'a.scenario.mts',
  );
  return run('run', path, '--engine', 'litesvm');
}

describe('misbehaving scenario script', () => {
  it('fails the run with an unhandled rejection, while other scenarios run', async () => {
    const { code, stdout, stderr } = await played("void Promise.reject(new Error('boo'));", '');
    expect(stderr).toContain('a promise was rejected in a script that did not await it: boo');
    expect(stdout).toContain('2 scenarios: 2 passed');
    expect(code).toBe(1);
  });

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
});
