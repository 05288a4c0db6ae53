// @module-tag slow
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NATIVE_BUILDS } from '../../src/chain/engines/native.js';

const FILE = fileURLToPath(new URL('../../src/chain/engines/native.ts', import.meta.url));

/** Evaluates an expression over the module in a process that reports another platform. */
async function on(platform: string, expression: string): Promise<string> {
  const [os, cpu] = platform.split('-');
  const code = `
    Object.defineProperty(process, 'platform', { value: '${os}' });
    Object.defineProperty(process, 'arch', { value: '${cpu}' });
    const { defaultEngine, loadNative } = await import(${JSON.stringify(FILE)});
    try { console.log(${expression}); } catch (error) { console.log(error.name + ': ' + error.message); }`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import=tsx',
    '--input-type=module',
    '-e',
    code,
  ]);
  return stdout.trim();
}

describe('native builds', () => {
  it('are optional dependencies in the versions that error messages name', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const named = Object.values(NATIVE_BUILDS).flatMap(({ version, builds }) =>
      Object.values<readonly string[]>(builds).flatMap((names) => names.map((name) => [name, version])),
    );
    expect(Object.fromEntries(named)).toEqual(optionalDependencies);
  });

  it.each([
    ['linux-x64', 'bankrun'],
    ['darwin-arm64', 'bankrun'],
    ['linux-arm64', 'litesvm'],
    ['win32-x64', 'bankrun'],
  ])('are loaded by default on %s as %s', async (platform, engine) => {
    expect(await on(platform, 'defaultEngine()')).toBe(engine);
  });

  it('report that the build for bankrun is missing, as after npm install --omit=optional', async () => {
    expect(await on('darwin-arm64', "loadNative('bankrun')")).toMatch(
      /is not installed .* npm install solana-bankrun-darwin-arm64@0\.4\.0$/,
    );
  });
});
