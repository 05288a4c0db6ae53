import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

it.each([32, 40, 48])('reports in one line that a limit of %i open files is too low', (limit) => {
  const start = [process.execPath, MAIN, 'start', '--engine', 'litesvm', '--port', '0'];
  const ended = spawnSync('bash', ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', ...start], {
    encoding: 'utf8',
  });
  expect(ended.stderr).toMatch(/^sim: too many open files; .*ulimit -n.*\n$/);
  expect(ended.status).toBe(1);
});
