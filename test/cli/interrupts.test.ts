// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { settled } from '../support/waiting.js';
import { here } from './here.js';
import { type Command, childrenOf, startedCommand } from './process.js';
import { BROKE, IMPORT, LOOKS, filesWith } from './scenario-files.js';

const repeated = (times: number, text: string) => Array.from({ length: times }, () => text).join('---\n');

const started = (...args: string[]) => startedCommand(args);

/** A running `sim run` of a file with the given text. */
function running(text: string, ...args: string[]): Command {
  return started('run', filesWith({ 'a.yaml': text }), '--engine', 'litesvm', ...args);
}

/** Whether a process exists and has not ended. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when the processes have ended. */
const ended = (pids: readonly number[]) => settled(() => pids.every((pid) => !isAlive(pid)), Boolean);

describe('interrupted sim fuzz', () => {
  it('prints a summary and how to go on, and exits with 130', async () => {
    const out = join(temporaryFolder(), 'failures');
    const command = started('fuzz', '--runs', '1000000', '--out', out);
    await command.complained(' runs · ');
    expect(await command.endedBy('SIGINT')).toBe(130);
    expect(command.stderr).toContain(
      'sim: SIGINT: stopping after the current work; a second signal stops immediately\n',
    );
    expect(command.stdout).toMatch(/^Interrupted by SIGINT\. Every rule held in \d+ runs of [\d,]+ steps/);
    expect(command.stdout).toMatch(/\nAdd --path \d+ to continue --property everything\.\n$/);
  });

  it('stops its workers after SIGTERM, and goes on to the same runs', { timeout: 300_000 }, async () => {
    const flags = ['--out', join(temporaryFolder(), 'failures'), '--json'];
    const command = started('fuzz', ...flags, '--runs', '1000000', '--workers', '2');
    await command.complained('"unit":"runs"');
    const line = command.stderr.split('\n').find((each) => each.startsWith('{')) ?? '';
    expect(JSON.parse(line)).toEqual({
      unit: 'runs',
      done: expect.any(Number) as number,
      total: 1_000_000,
      rate: expect.any(Number) as number,
      found: 0,
      coverage: expect.any(Number) as number,
      secondsLeft: expect.any(Number) as number,
      steps: expect.any(Number) as number,
      stepsPerSecond: expect.any(Number) as number,
    });
    const workers = childrenOf(command.pid);
    expect(workers).toHaveLength(2);
    // As a terminal does with Ctrl-C, which interrupts all foreground processes.
    for (const pid of workers) process.kill(pid, 'SIGTERM');
    expect(await command.endedBy('SIGTERM')).toBe(143);
    const told = (text: string) =>
      JSON.parse(text) as { readonly runs: number; readonly next: number; readonly steps: number };
    const first = told(command.stdout);
    expect(first).toMatchObject({ interrupted: 'SIGTERM', found: null });
    expect(first.runs).toBeGreaterThan(1);
    await ended(workers);
    const rest = await here('fuzz', ...flags, '--path', `${first.next}`, '--runs', '5');
    const whole = await here('fuzz', ...flags, '--runs', `${first.next + 5}`);
    const steps = first.steps + told(rest.stdout).steps;
    expect([rest.code, whole.code, steps]).toEqual([0, 0, told(whole.stdout).steps]);
  });
});

describe('interrupted sim run', () => {
  it('starts no more scenarios, prints a summary, writes its reports and exits with 130', async () => {
    const report = join(temporaryFolder(), 'report.xml');
    const command = running(repeated(200, LOOKS), '--reporter', 'pretty', '--reporter', `junit:${report}`);
    await command.printed('✓ alice looks');
    expect(await command.endedBy('SIGINT')).toBe(130);
    const [, passed = '', left = ''] =
      /: (\d+) passed, 0 failed, 0 skipped, (\d+) not finished in /.exec(command.stdout) ?? [];
    expect(Number(passed) + Number(left)).toBe(200);
    expect(Number(left)).toBeGreaterThan(0);
    expect(readFileSync(report, 'utf8')).toContain(`tests="${passed}" failures="0"`);
  });

  it.each([
    ['await new Promise(() => undefined);', '1'],
    ['await new Promise(() => undefined);', '2'],
    ['for (;;);', '2'],
  ])(
    'leaves a script that never ends, and writes its reports, before a second signal: %s, --workers %s',
    async (body, workers) => {
      const hangs = `scenario('hangs', async ({ agent }) => { await (await agent('a')).account(); console.log('begun'); ${body} })`;
      const file = filesWith({ 'a.scenario.mts': `${IMPORT}\nexport default [${hangs}, ${hangs}];\n` });
      const report = join(temporaryFolder(), 'report.xml');
      const reporters = ['--reporter', 'json', '--reporter', `junit:${report}`];
      const command = started('run', file, '--engine', 'litesvm', '--workers', workers, ...reporters);
      await command.printed('begun');
      expect(await command.endedBy('SIGINT')).toBe(130);
      expect(command.stdout).toContain('"kind":"end"');
      const left = readFileSync(report, 'utf8');
      expect(left).toContain('2 scenarios were not finished');
      // A worker in an endless loop cannot say where it is.
      if (!body.startsWith('for'))
        expect(left).toContain('hangs: interrupted, after step 1 (a.account, line 2)');
    },
  );

  it('exits with 1 when a scenario has failed', async () => {
    const command = running(`${BROKE}---\n${repeated(200, LOOKS)}`);
    await command.printed('✗ alice is broke');
    expect(await command.endedBy('SIGTERM')).toBe(1);
    expect(command.stdout).toMatch(/1 failed, 0 skipped, \d+ not finished in /);
  });

  it.each(['await new Promise(() => undefined);', 'for (;;);'])(
    'ends immediately with its workers at a second signal while a script runs: %s',
    async (body) => {
      const endless = `scenario('endless', async () => { console.log('begun'); ${body} })`;
      const file = filesWith({ 'a.scenario.mts': `${IMPORT}\nexport default [${endless}, ${endless}];\n` });
      const command = started('run', file, '--engine', 'litesvm', '--workers', '2', '--timeout', '1000');
      await command.printed('begun');
      const workers = childrenOf(command.pid);
      onTestFinished(() => {
        for (const pid of workers) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      });
      command.kill('SIGINT');
      await command.complained('a second signal stops immediately');
      expect(await command.endedBy('SIGINT')).toBe(130);
      expect(command.stderr).not.toContain('a script ended the process');
      await ended(workers);
    },
  );
});
