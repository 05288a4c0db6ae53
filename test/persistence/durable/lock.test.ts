import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSimulator } from '../../../src/index.js';
import { startedCommand } from '../../cli/process.js';
import { kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Runs a command where no process of this test is visible, under the same host name. */
const NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const permitted = spawnSync('unshare', [...NAMESPACE, 'true'], { encoding: 'utf8' });
const obstacle = permitted.status === 0 ? null : (permitted.error?.message ?? permitted.stderr.trim());

const lockName = (pid: number) => `lock-${pid}-${'0'.repeat(16)}`;

it(
  'a start rejects the folder of a process in another PID namespace until that process is killed',
  { tags: ['slow'], timeout: 30_000 },
  async ({ skip }) => {
    if (obstacle !== null) skip(`no PID namespaces here: ${obstacle}`);
    const dir = temporaryFolder();
    const start = ['start', '--data-dir', dir, '--port', '0', '--no-rpc'];
    const other = startedCommand(start, {}, { wrapper: ['unshare', ...NAMESPACE] });
    await other.printed('\n');
    await expect(createSimulator({ dataDir: dir })).rejects.toMatchObject({ code: 'data_in_use' });
    await other.endedBy('SIGKILL');
    await (await kept(dir)).close();
    expect(readdirSync(dir)).toEqual(['world.data']);
  },
);

it('of processes that start in a new folder at once at most one gets it', { tags: ['slow'] }, async () => {
  const dir = join(temporaryFolder(), 'new');
  const args = ['start', '--port', '0', '--json', '--quiet', '--no-rpc', '--data-dir', dir];
  const commands = Array.from({ length: 3 }, () => startedCommand(args));
  const codes = await Promise.all(
    commands.map((command) => Promise.race([command.ended(), command.printed('\n').then(() => 'serves')])),
  );
  const others = codes.filter((code) => code !== 2);
  expect(others).toEqual(others.length === 0 ? [] : ['serves']);
  for (const [at, { stderr }] of commands.entries())
    if (codes[at] === 2) expect(stderr).toMatch(/^sim: .*in use by .*\n$/);
});

it('a start rejects a folder whose locked file names a process that does not exist', async () => {
  const dir = temporaryFolder();
  const holder = await kept(dir);
  const [name = ''] = readdirSync(dir).filter((file) => file.startsWith('lock-'));
  const gone = lockName(2 ** 22 - 3);
  renameSync(join(dir, name), join(dir, gone));
  await expect(createSimulator({ dataDir: dir })).rejects.toMatchObject({ code: 'data_in_use' });
  renameSync(join(dir, gone), join(dir, name));
  await holder.close();
});

it('a start takes over an unlocked file of a locking version, for any process and host', async () => {
  const dir = temporaryFolder();
  for (const [pid, host] of [
    [process.ppid, hostname()],
    [1, 'a-container-that-was-replaced'],
  ] as const)
    writeFileSync(join(dir, lockName(pid)), JSON.stringify({ pid, host, began: null, isLocked: true }));
  await (await kept(dir)).close();
  expect(readdirSync(dir)).toEqual(['world.data']);
});
