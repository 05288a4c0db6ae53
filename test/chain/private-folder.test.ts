// @module-tag slow
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';

const GONE = 2 ** 22 - 3;
const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
const module = JSON.stringify(new URL('../../src/chain/engines/private-folder.ts', import.meta.url).href);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-folders-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
});

const folders = () => readdirSync(folder).filter((name) => name.startsWith('agent-bank-sim-'));

/** Makes a private folder in a process of its own, and prints how many there are then. */
function make(before = '') {
  const script = `
    import { readdirSync } from 'node:fs';
    import { makePrivateFolder } from ${module};
    ${before}
    makePrivateFolder();
    console.log(readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('agent-bank-sim-')).length);
  `;
  return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: folder },
  });
}

it('removes the folders of killed processes, and its own at exit', () => {
  const others = [`agent-bank-sim-${process.pid}-${namespace}-live`, `agent-bank-sim-${GONE}-1-elsewhere`];
  for (const name of [`agent-bank-sim-${GONE}-${namespace}-killed`, ...others]) mkdirSync(join(folder, name));
  expect(make()).toMatchObject({ stderr: '', stdout: '3\n', status: 0 });
  // Whether a process of another PID namespace runs cannot be seen from here.
  expect(folders().toSorted()).toEqual(others.toSorted());
});

it('leaves a folder that it may not remove', ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can act for two users');
  const abandoned = `agent-bank-sim-${GONE}-${namespace}-killed`;
  mkdirSync(join(folder, abandoned, 'in it'), { recursive: true });
  chmodSync(folder, 0o1777);
  expect(make('process.setuid(65534);')).toMatchObject({ stderr: '', stdout: '2\n', status: 0 });
  expect(folders()).toEqual([abandoned]);
});
