// @module-tag slow
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OLDEST_NODE, isOldNode } from '../../src/cli/node-version.js';
import { MAIN } from './process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Runs the built command in a process that reports another platform or Node version. */
async function pretending(members: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const folder = temporaryFolder();
  const preload = join(folder, 'preload.mjs');
  writeFileSync(preload, `Object.defineProperties(process, ${members});\n`);
  return new Promise((resolve) => {
    const options = ['--import', pathToFileURL(preload).href, MAIN, ...args];
    execFile(process.execPath, options, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
    });
  });
}

describe('sim on an unsupported machine', () => {
  it('reports in one line that Node is too old', async () => {
    const versions = "{ versions: { value: { ...process.versions, node: '18.20.8' } } }";
    expect(await pretending(versions, 'start', '--port', '0')).toEqual({
      code: 1,
      stderr: 'sim: Node 18.20.8 is too old; agent-bank-sim needs Node 20.18 or later.\n',
    });
  });

  it.each([
    [
      'linux',
      'arm64',
      [],
      /litesvm-linux-arm64-gnu.* is not installed .*npm install litesvm-linux-arm64-gnu@/,
    ],
    [
      'linux',
      'arm64',
      ['--engine', 'bankrun'],
      /bankrun has no build for linux-arm64.* Use --engine litesvm\./,
    ],
    ['win32', 'x64', [], /bankrun has no build for win32-x64.*WSL/],
  ] as const)('reports in one line what to do on %s %s with %j', async (platform, arch, args, expected) => {
    const members = `{ platform: { value: '${platform}' }, arch: { value: '${arch}' } }`;
    const { code, stderr } = await pretending(members, 'start', '--port', '0', ...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(/^sim: [^\n]*\n$/);
  });
});

it('OLDEST_NODE equals the engines field of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  for (const version of ['18.20.8', '20.17.0', '8.0.0']) expect(isOldNode(version), version).toBe(true);
  for (const version of ['20.18.0', '20.20.2', '22.0.0', '24.1.0'])
    expect(isOldNode(version), version).toBe(false);
});
