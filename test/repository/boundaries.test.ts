import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the project's linter rules say of a file with this text at this place, in a folder of its own. */
function lint(path: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sim-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const { stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'unix', path], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** A forbidden import for each layer: the linter must bite. */
const VIOLATIONS: Record<string, string> = {
  domain: '../bank/bank.js',
  journal: '../chain/chain.js',
  chain: '../world/clock.js',
  contract: '../bank/bank.js',
  world: '../chain/chain.js',
  bank: '../http/app.js',
  http: '../chain/chain.js',
  rpc: '../bank/bank.js',
  client: '../bank/bank.js',
  x402: '../bank/bank.js',
  faults: '../chain/chain.js',
  events: '../bank/bank.js',
  fuzz: '../simulator.js',
  'fuzz/model': '../../domain/money.js',
  page: '../domain/money.js',
  scenario: '../simulator.js',
  'state-file': '../control/app.js',
  durable: '../http/app.js',
  recording: '../cli/sim.js',
};

describe('the linter keeps the layers apart', () => {
  for (const [layer, target] of Object.entries(VIOLATIONS)) {
    it(`${layer} may not import ${target}`, () => {
      const found = lint(
        `src/${layer}/zz-violation.ts`,
        `import * as forbidden from '${target}';\nexport { forbidden };\n`,
      );
      expect(found).toContain('no-restricted-imports');
    });
  }

  it('domain, world and bank may not read the time, chance or the process', () => {
    for (const layer of ['domain', 'world', 'bank']) {
      const found = lint(
        `src/${layer}/zz-violation.ts`,
        'export const now = Date.now();\nexport const chance = Math.random();\nexport const id = process.pid;\n',
      );
      expect(found.match(/no-restricted-(properties|globals)/g), layer).toHaveLength(3);
    }
  });
});
