import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Command } from '../cli/process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Ready {
  readonly baseUrl: string;
  readonly rpcUrl: string;
}

/** The README's first example that imports a package. */
function example(imports: string): string {
  const blocks = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g);
  for (const [, code = ''] of blocks) if (code.includes(`from '${imports}'`)) return code;
  throw new Error(`the README has no example with ${imports}`);
}

describe('the README', () => {
  it.each(['@solana/web3.js', '@solana/kit'])(
    'shows a deposit with %s that works as it stands',
    async (imports) => {
      const command = new Command(['start', '--json', '--port', '0', '--quiet', '--engine', 'litesvm']);
      onTestFinished(async () => {
        command.kill('SIGTERM');
        await command.ended();
      });
      const ready = JSON.parse(await command.printed('\n')) as Ready;
      const code = example(imports)
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
});
