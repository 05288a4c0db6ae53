import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NATIVE_BUILDS } from '../../src/chain/engines/native.js';

const FILE = fileURLToPath(new URL('../../src/chain/engines/native.ts', import.meta.url));

/** What an expression over the module gives on another platform, in a process that believes to be on it. */
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
  it('are dependencies in the versions that messages name', () => {
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
  ])('on %s %s is the default', async (platform, engine) => {
    expect(await on(platform, 'defaultEngine()')).toBe(engine);
  });

  it.each([
    ['linux-arm64', /bankrun has no build for linux-arm64, only for .*\. Use --engine litesvm\.$/],
    ['win32-x64', /bankrun has no build for win32-x64, .*WSL.*--engine cluster\.$/],
    // Here npm has left the package out, as with --omit=optional.
    ['darwin-arm64', /is not installed .* npm install solana-bankrun-darwin-arm64@0\.4\.0$/],
  ])('on %s the refusal of bankrun says what to do', async (platform, message) => {
    expect(await on(platform, "loadNative('bankrun')")).toMatch(message);
  });
});
