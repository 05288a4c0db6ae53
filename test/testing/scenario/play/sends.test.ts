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
  // `export.test.ts` has other mints, delegates, and transactions that are sent untried.
  it('transfer several tokens at once, and what a cosigner owns', async () => {
    const found = await troublesOf(
      `
  - alice.send:
      transfers:
        - { to: '\${bob}', amount: 5, token: USDC }
        - { to: '\${bob}', amount: 1, token: SOL }
    expect:
      signature: { length: { atLeast: 64 } }
      chain: { alice: { usdc: 95, sol: { below: 4 } }, bob: { usdc: 15, sol: 6 } }
  - bob.send: { to: '\${bob}', amount: 5, token: USDC, of: '\${alice}' }
    expect: { code: { absent: false } }
  - bob.send: { to: '\${bob}', amount: 5, token: USDC, of: '\${alice}', cosigners: [alice] }
    expect: { chain: { alice: { usdc: 90 }, bob: { usdc: 20 } } }
`,
      target,
    );
    expect(found).toEqual([]);
  });
});

it.each([
  [
    `send: { to: '\${bob}', amount: 1, token: USDC, cosigners: [carol] }`,
    '1 alice.send: there is no agent carol',
  ],
  [`send: { to: '\${bob}', amount: 0, token: SOL }`, 'greater than zero'],
  ['allow: { delegate: nobody, amount: 1 }', 'alice.allow'],
])('a transaction fails with the reason: %s', async (step, reason) => {
  expect(await troublesOf(` [{ alice.${step} }]`)).toEqual([expect.stringContaining(reason), 'failed']);
});
