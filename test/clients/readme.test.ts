import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Command } from '../cli/process.js';
import { readmeExample } from '../support/readme.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Ready {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly paywall: { readonly url: string };
}

async function started(...args: string[]): Promise<Ready> {
  const command = new Command(['start', '--json', '--port', '0', '--quiet', '--engine', 'litesvm', ...args]);
  onTestFinished(async () => {
    command.kill('SIGTERM');
    await command.ended();
  });
  return JSON.parse(await command.printed('\n')) as Ready;
}

describe('the README', () => {
  it.each(['@solana/web3.js', '@solana/kit'])(
    'shows a deposit with %s that works as it stands',
    async (imports) => {
      const ready = await started();
      const code = readmeExample(`from '${imports}'`)
        .replaceAll('http://127.0.0.1:4020', new URL(ready.baseUrl).origin)
        .replaceAll('127.0.0.1:8899', new URL(ready.rpcUrl).host);
      // Where Node finds the packages that the example imports.
      const folder = mkdtempSync(join(ROOT, 'node_modules', '.readme-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'deposit.mjs');
      writeFileSync(file, code);
      const { stdout } = await promisify(execFile)(process.execPath, [file]);
      expect(stdout).toContain('success: true');
      expect(stdout).toMatch(/previous: 0, current: 1 /);
    },
  );

  it('shows an agent that pays, from another process, that works as it stands', async () => {
    const { baseUrl, paywall } = await started('--paywall');
    const code = readmeExample('payingFetch(fetch, agent')
      .replaceAll('http://127.0.0.1:4020', new URL(baseUrl).origin)
      .replaceAll('http://127.0.0.1:4021', paywall.url)
      .replaceAll("'agent-bank-sim'", `'${join(ROOT, 'src/index.ts')}'`)
      .replaceAll("'agent-bank-sim/x402'", `'${join(ROOT, 'src/sdk/x402/index.ts')}'`);
    const folder = mkdtempSync(join(tmpdir(), 'sim-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'buyer.mjs');
    writeFileSync(file, code);
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], { cwd: ROOT });
    expect(stdout).toContain("sky: 'clear'");
    expect(stdout).toMatch(/ 0\.99\n$/);
  });
});
