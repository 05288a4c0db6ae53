// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ControlClient } from '../../../src/api/control/client.js';
import { serving } from '../../cli/process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Starts a simulator that logs to a file and does the same to each. */
async function play(path: string): Promise<void> {
  const flags = '--engine litesvm --time frozen --seed 7 --quiet'.split(' ');
  const { agent, origin, stop } = await serving(...flags, '--log', path);
  const [alice, bob] = [agent(0), agent(1)];
  const control = new ControlClient({ origin });
  await alice.fund(500, 'USDC');
  await bob.fund(3, 'SOL');
  await control.do('addFault', {
    body: { endpoint: '*', effect: 'replace-response', status: 429, when: { probability: 0.3 } },
  });
  const settled = async (call: Promise<unknown>) => call.catch(() => undefined);
  for (let round = 0; round < 12; round += 1) {
    await settled(alice.depositSavings({ amount: 10, token: 'USDC' }));
    await settled(alice.pay({ amount: 5, token: 'USDC', recipient: bob.wallet.address }));
    await settled(bob.withdraw({ amount: 0.1, token: 'SOL' }));
    await settled(bob.account());
    await control.do('advance', { body: { by: '7h' } });
  }
  const { id } = await control.do('snapshot');
  await control.do('createWallet', { body: { SOL: 1 } });
  await control.do('setPrice', {
    body: { token: 'SOL', source: { walk: { start: 100, every: '1h', step: 0.1 } } },
  });
  await control.do('advance', { body: { by: '2d' } });
  await control.do('revert', { id });
  await stop();
}

it('the same calls with the same seed on litesvm give byte-identical event logs in two processes', async () => {
  const folder = temporaryFolder();
  const paths = ['a', 'b'].map((name) => join(folder, `${name}.ndjson`));
  for (const path of paths) await play(path);
  const [first, second] = paths.map((path) => readFileSync(path, 'utf8')) as [string, string];
  expect(first.split('\n').length).toBeGreaterThan(100);
  expect(first).toContain('too_many_requests');
  expect(second).toBe(first);
});
