// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import { failing, here } from './here.js';
import { startedCommand } from './process.js';
import { filesWith } from './scenario-files.js';

const BROKEN = `name: Savings that nobody has
agents: { alice: { usdc: 1000, sol: 1 } }
steps:
  - alice.deposit: { amount: 500, token: USDC }
  - time.advance: 30d
  - alice.savings.withdraw: { amount: 5, token: USDC }
    expect: { success: true }
  - alice.withdraw: { amount: 500, token: USDC }
`;

const PROPERTY = `name: Nobody saves
property:
  agents: 2
  behaviours: { saver: 1 }
  never: [savings.deposit]
  runs: 3
  steps: 20
`;

const scenarioFile = (text: string) => join(filesWith({ 'broken.yaml': text }), 'broken.yaml');

describe('sim run --inspect', () => {
  it.each(['in-process', 'http'])(
    'serves the world of a failed scenario as the failed step has left it, %s, and ends as the run',
    async (target) => {
      const file = scenarioFile(BROKEN);
      const report = file.replace('.yaml', '.html');
      const reporters = ['--reporter', `html:${report}`, '--reporter', 'pretty'];
      const args = ['run', file, '--inspect', '--engine', 'litesvm', '--target', target];
      const command = startedCommand([...args, ...reporters]);
      await command.complained('Stop with Ctrl-C');
      expect(existsSync(report)).toBe(true);
      const [, address = ''] = /href="(http:[^"]+)"/.exec(readFileSync(report, 'utf8')) ?? [];
      expect(address).toMatch(/\/inspector\/timeline$/);
      expect(command.stdout).toMatch(new RegExp(`inspect +${address}\n`));
      expect((await fetch(address)).headers.get('content-type')).toContain('text/html');
      const control = new ControlClient({ origin: new URL(address).origin });
      const { customers } = await control.do('customers');
      expect(customers).toMatchObject([{ checking: { USDC: 500 } }]);
      expect(await control.do('time')).toMatchObject({ now: '2026-01-31T00:00:00.000Z', mode: 'frozen' });
      expect((await control.do('history')).requests.length).toBeGreaterThan(2);
      expect(await command.endedBy('SIGINT')).toBe(1);
    },
  );

  it('serves the world of the shortest counterexample of a property', async () => {
    const command = startedCommand(['run', scenarioFile(PROPERTY), '--inspect', '--engine', 'litesvm']);
    await command.complained('Stop with Ctrl-C');
    const text = await command.printed('/inspector/timeline\n');
    const [, origin = ''] = /inspect +(http:\/\/[^/]+)\/inspector\/timeline\n/.exec(text) ?? [];
    const control = new ControlClient({ origin });
    const { requests } = await control.do('history');
    expect(requests[0]).toMatchObject({ operation: 'savingsDeposit' });
    expect((await control.do('explain', { id: requests[0]?.requestId ?? '' })).text).toContain(
      'It succeeded (200).',
    );
    expect(await command.endedBy('SIGINT')).toBe(1);
  });

  it('ends at once when every scenario holds', async () => {
    const file = scenarioFile(BROKEN.replace('success: true', 'code: insufficient_savings'));
    const { code, stderr } = await here('run', file, '--inspect', '--engine', 'litesvm');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('is refused where the worlds are elsewhere', async () => {
    for (const more of [
      ['--workers', '2'],
      ['--base-url', 'http://127.0.0.1:1/api/v1'],
      ['--retries', '1'],
    ]) {
      const line = await failing(2, 'run', scenarioFile(BROKEN), '--inspect', ...more);
      expect(line, more.join(' ')).toContain('--inspect keeps worlds');
    }
  });
});
