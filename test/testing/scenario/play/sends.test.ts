import { describe, expect, it } from 'vitest';
import { httpServer } from '../../../../src/testing/drivers/http-server.js';
import { IN_PROCESS } from '../../../../src/testing/drivers/in-process.js';
import { played, troubles } from '../played.js';

const AGENTS = `
name: Transactions of agents
agents:
  alice: { usdc: 100, sol: 5 }
  bob: { usdc: 10, sol: 5 }
`;

async function troublesOf(steps: string, target = IN_PROCESS): Promise<string[]> {
  return troubles(await played(`${AGENTS}steps:${steps}`, { target }));
}

describe.each([IN_PROCESS, httpServer])('transactions of agents at the target $name', (target) => {
  it('transfer several tokens at once, other mints included', async () => {
    expect(
      await troublesOf(
        `
  - control: { do: faucet, body: { address: '\${alice}', amount: 50, token: USDC, network: devnet } }
  - alice.send:
      transfers:
        - { to: '\${bob}', amount: 5, token: USDC }
        - { to: '\${bob}', amount: 1, token: SOL }
        - { to: '\${bob}', amount: 20, token: other }
        - { to: '\${bob}', amount: 0.5, token: wrapped }
    expect:
      signature: { length: { atLeast: 64 } }
      chain: { alice: { usdc: 95, sol: { below: 3.5 } }, bob: { usdc: 15, sol: 6 } }
  - alice.send: { to: '\${bob}', amount: 31, token: other }
    expect: { code: { absent: false }, chain: { alice: { usdc: 95 } } }
`,
        target,
      ),
    ).toEqual([]);
  });

  it('transfer what another agent delegates or cosigns, and no more', async () => {
    expect(
      await troublesOf(
        `
  - bob.send: { to: '\${bob}', amount: 5, token: USDC, of: '\${alice}' }
    expect: { code: { absent: false } }
  - alice.allow: { delegate: '\${bob}', amount: 8 }
  - bob.send: { to: '\${bob}', amount: 5, token: USDC, of: '\${alice}' }
    expect: { chain: { alice: { usdc: 95 }, bob: { usdc: 15 } } }
  - bob.send: { to: '\${bob}', amount: 5, token: USDC, of: '\${alice}', cosigners: [alice] }
    expect: { chain: { alice: { usdc: 90 }, bob: { usdc: 20 } } }
  - bob.send: { transfers: [{ to: '\${bob}', amount: 5, token: USDC, of: '\${alice}' }], untried: true }
    expect: { chain: { alice: { usdc: 90 }, bob: { usdc: 20, sol: { below: 5 } } } }
`,
        target,
      ),
    ).toEqual([]);
  });
});

it('a transfer with an unknown cosigner, an amount of 0 or an invalid delegate fails with the reason', async () => {
  expect(
    await troublesOf(` [{ alice.send: { to: '\${bob}', amount: 1, token: USDC, cosigners: [carol] } }]`),
  ).toEqual(['1 alice.send: there is no agent carol', 'failed']);
  expect(await troublesOf(` [{ alice.send: { to: '\${bob}', amount: 0, token: SOL } }]`)).toEqual([
    expect.stringContaining('greater than zero'),
    'failed',
  ]);
  expect(await troublesOf(` [{ alice.allow: { delegate: nobody, amount: 1 } }]`)).toEqual([
    expect.stringContaining('alice.allow'),
    'failed',
  ]);
});
