// @module-tag slow
import { describe, expect, it } from 'vitest';
import { payingFetch } from '../../src/sdk/x402/index.js';
import { failing } from './here.js';
import { Command, serving } from './process.js';

const started = (...args: string[]) => serving('--engine', 'litesvm', ...args);

describe('sim start --paywall', () => {
  it('serves resources for sale, reports its address, and exits with 0', async () => {
    const { ready, command, agent: agentAt, stop } = await started('--paywall', '--quiet');
    const { url, recipient } = ready.paywall ?? { url: '', recipient: '' };
    const agent = agentAt();
    await agent.signIn();
    const pay = payingFetch((to, init) => fetch(to, init), agent, { maxAmount: 1, recipient });
    // The agent has no money yet: the service requests a payment, and the bank refuses it.
    await expect(pay(`${url}/weather`)).rejects.toMatchObject({
      code: 'payment_refused',
      details: { bank_code: 'insufficient_balance' },
    });
    const list = (await (await fetch(url)).json()) as { recipient: string };
    expect(list.recipient).toBe(recipient);
    await stop();
    expect(command.stderr).toBe('');
  });

  it('is off by default, and appears in the summary when on', async () => {
    const { ready } = await started('--quiet');
    expect(ready.paywall).toBeNull();
    const command = new Command(['start', '--port', '0', '--engine', 'litesvm', '--paywall']);
    expect(await command.printed('Ctrl-C')).toMatch(
      /Paywall {4}http:\/\/127\.0\.0\.1:\d+, paid at \w{32,44}; price list at GET \//,
    );
    expect(await command.endedBy('SIGINT')).toBe(0);
  });

  it('rejects a port in use, and --paywall-port without --paywall', async () => {
    const { ready } = await started('--paywall', '--quiet');
    const { port } = new URL(ready.paywall?.url ?? '');
    const start = (...args: string[]) =>
      failing(2, 'start', '--quiet', '--port', '0', '--engine', 'litesvm', ...args);
    expect(await start('--paywall', '--paywall-port', port)).toBe(
      `sim: port ${port} on 127.0.0.1 is in use; choose another with --paywall-port (0 picks a free one)\n`,
    );
    expect(await start('--paywall-port', '0')).toContain('requires --paywall');
  });
});
