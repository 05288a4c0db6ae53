// @module-tag slow
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OLDEST_NODE, isOldNode } from '../../src/cli/node-version.js';
import { startedCommand } from './process.js';

/** Runs the built command in a process that reports another platform or Node version. */
async function pretending(members: string, ...args: string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(`Object.defineProperties(process, ${members});`)}`;
  const command = startedCommand(args, {}, { nodeOptions: ['--import', preload] });
  return { code: await command.ended(), stderr: command.stderr };
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
      /bankrun has no build for linux-arm64, only for .*\. Use --engine litesvm\.\n$/,
    ],
    ['win32', 'x64', [], /bankrun has no build for win32-x64, .*WSL.*--engine cluster\.\n$/],
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
