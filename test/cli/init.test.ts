import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { here } from './here.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'sim-init-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

describe('sim init', () => {
  it('writes a scenario that holds, an agent and a workflow', async () => {
    const at = folder();
    const { code, stdout } = await here('init', at);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    const played = await here('run', join(at, 'scenarios'), '--engine', 'litesvm');
    expect(played.code, played.stdout + played.stderr).toBe(0);
    expect(played.stdout).toContain('2 scenarios: 2 passed');
    expect(readFileSync(join(at, '.github/workflows/scenarios.yml'), 'utf8')).toContain('npx sim run');
  });

  it('overwrites nothing', async () => {
    const at = folder();
    writeFileSync(join(at, 'agent.mjs'), 'mine');
    const { code, stderr } = await here('init', at);
    expect(code).toBe(2);
    expect(stderr).toContain('agent.mjs: there already; nothing was written');
    expect(readdirSync(at)).toEqual(['agent.mjs']);
    expect(readFileSync(join(at, 'agent.mjs'), 'utf8')).toBe('mine');
  });
});
