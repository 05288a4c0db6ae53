import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { MAIN } from './process.js';

/** Limits with which `sim start` cannot begin; Node 22 needs fewer files than Node 20. */
const TOO_LOW = process.versions.node.startsWith('20.') ? [32, 40, 48] : [22];

it.each(TOO_LOW)('reports in one line that a limit of %i open files is too low', (limit) => {
  const start = [process.execPath, MAIN, 'start', '--engine', 'litesvm', '--port', '0'];
  const ended = spawnSync('bash', ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', ...start], {
    encoding: 'utf8',
    // A simulator that starts all the same would run for ever.
    timeout: 30_000,
  });
  expect(ended.stderr).toMatch(/^sim: too many open files; .*ulimit -n.*\n$/);
  expect(ended.status).toBe(1);
});
