import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { serving } from '../cli/process.js';
import { exampleOf } from '../support/markdown.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));

it('the standard buyer of docs/reference/x402.md works with a key printed by sim start', async () => {
  const { ready } = await serving('--quiet', '--paywall');
  const code = exampleOf('docs/reference/x402.md', 'wrapFetchWithPayment')
    .replaceAll('http://127.0.0.1:8899', ready.rpcUrl)
    .replaceAll('http://127.0.0.1:4021', ready.paywall?.url ?? '');
  const folder = mkdtempSync(join(HERE, 'node_modules', '.docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'standard-buyer.mjs');
  writeFileSync(file, code);
  const env = { ...process.env, SECRET_KEY: ready.wallets[3]?.secretKey };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout).toContain("sky: 'clear'");
});

it('docs/reference/x402.md names the package versions under test', () => {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const lines = exampleOf('docs/reference/x402.md', 'npm install @x402/core').matchAll(
    /^npm install ([^#\n]*)/gm,
  );
  const named = [...lines].flatMap(([, packages = '']) => packages.trim().split(/ +/));
  expect(named).toHaveLength(4);
  for (const one of named) {
    const at = one.lastIndexOf('@');
    expect(dependencies[one.slice(0, at)], one).toBe(one.slice(at + 1));
  }
});
