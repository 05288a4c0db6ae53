import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serving, startedCommand } from './process.js';

/** Limits with which `sim start` cannot begin; Node 22 needs fewer files than Node 20. */
const TOO_LOW = process.versions.node.startsWith('20.') ? [32, 40, 48] : [22];

it.each(TOO_LOW)('reports in one line that a limit of %i open files is too low', async (limit) => {
  const wrapper = ['bash', '-c', `ulimit -n ${limit}; exec "$@"`, 'bash'];
  const command = startedCommand(['start', '--engine', 'litesvm', '--port', '0'], {}, { wrapper });
  expect(await command.ended()).toBe(1);
  expect(command.stderr).toMatch(/^sim: too many open files; .*ulimit -n.*\n$/);
});

const QUEUES = process.platform === 'linux' && Number(readFileSync('/proc/sys/net/core/somaxconn')) >= 1_024;
it.runIf(QUEUES)('1,000 clients can connect to a busy process at once', { timeout: 60_000 }, async () => {
  const { command, origin } = await serving('--engine', 'litesvm');
  process.kill(command.pid, 'SIGSTOP');
  const port = Number(new URL(origin).port);
  const sockets = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => void sockets.map((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
});
