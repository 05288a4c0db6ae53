import { expect, it } from 'vitest';
import { startedCommand } from './process.js';

/** Limits with which `sim start` cannot begin; Node 22 needs fewer files than Node 20. */
const TOO_LOW = process.versions.node.startsWith('20.') ? [32, 40, 48] : [22];

it.each(TOO_LOW)('reports in one line that a limit of %i open files is too low', async (limit) => {
  const wrapper = ['bash', '-c', `ulimit -n ${limit}; exec "$@"`, 'bash'];
  const command = startedCommand(['start', '--engine', 'litesvm', '--port', '0'], {}, { wrapper });
  expect(await command.ended()).toBe(1);
  expect(command.stderr).toMatch(/^sim: too many open files; .*ulimit -n.*\n$/);
});
