import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type Simulator, type SimulatorOptions, createSimulator } from '../../../src/index.js';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import { agentWith } from '../../support/world.js';

/** A world that goes on from a state, closed when the test ends. */
export async function from(state: Uint8Array | string, more: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await createSimulator({ state, ...more });
  onTestFinished(() => sim.close());
  return sim;
}

/** Where the compressed world begins in a state. */
export function bodyAt(state: Uint8Array): number {
  const bytes = Buffer.from(state);
  return bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1;
}

/** The lines before the world, and the world uncompressed: all that can be read in a state. */
export function openly(state: Uint8Array): { head: string; world: Buffer } {
  const at = bodyAt(state);
  return {
    head: Buffer.from(state.subarray(0, at)).toString('utf8'),
    world: inflateRawSync(state.subarray(at, -32)),
  };
}

/** A state file with a valid checksum around any content. */
export function sealed(head: string, body: Uint8Array): Buffer {
  const bytes = Buffer.concat([Buffer.from(head), body]);
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);
}

/** What a busy world still owes an answer for. */
export interface Busy {
  readonly agents: readonly [AgentClient, AgentClient];
  /** A payment that is not received yet, and how often its call can be repeated. */
  readonly payment: { readonly tx_signature: string };
  readonly key: string;
}

/** Rates of every kind of source. */
export const RATES: SimulatorOptions['oracle'] & object = {
  usdcApy: { walk: { start: 0.03, every: '6h', step: 0.05 } },
  solApy: {
    series: [
      { at: '2026-01-01T00:00:00Z', value: 0.05 },
      { at: '2026-02-01T00:00:00Z', value: 0.07 },
    ],
  },
  solUsd: { walk: { start: 150, every: '1d', step: 0.02, min: 50, max: 500 } },
  maxAge: '2h',
};

/** Lets a world have some of everything that can be under way. Its withdrawals must be queued. */
export async function keepBusy(sim: Simulator): Promise<Busy> {
  const [alice, bob] = [
    await agentWith(sim, 0, { usdc: 5_000, sol: 20 }),
    await agentWith(sim, 1, { usdc: 800 }),
  ];
  await alice.depositSavings({ amount: 2_000, token: 'USDC' });
  await alice.depositSavings({ amount: 4, token: 'SOL' });
  await alice.borrow({ amount: 300 });
  await sim.linkIdentity(alice.wallet.address, { x: true, github: false });

  // A loan in each of its states.
  const apply = async () =>
    (await alice.applyForLoan({ amount: 100, purpose: 'task', duration: 30, collateral: { type: 'SOL' } }))
      .application.id;
  const approved = async () => {
    const id = await apply();
    await sim.reviews.approve(id, 'known');
    return id;
  };
  const [repaid, defaulted, overdue, active] = [
    await approved(),
    await approved(),
    await approved(),
    await approved(),
  ];
  await sim.reviews.deny(await apply(), 'thin file – trust §');
  await apply();
  await alice.repayLoan(repaid, { amount: 200 });
  await sim.reviews.default(defaulted);
  await sim.reviews.setOverdue(overdue);
  await alice.repayLoan(active, { amount: 33.333333 });
  sim.reviews.setPolicy('delay:1h');
  await bob.applyForLoan({ amount: 250, purpose: 'task', duration: 7 });

  // Rates that are to change, and data that stands still.
  sim.oracle.setApy('SOL', 0.09, { from: new Date(sim.now().getTime() + 40 * 86_400_000) });
  sim.oracle.setPrice('SOL', { walk: { start: 140, every: '2h', step: 0.1 } });
  await sim.advance('3d');
  sim.oracle.setStale(true);

  // Calls that go wrong, in the middle of their counts.
  sim.faults.add({ endpoint: 'account', effect: 'replace-response', status: 429, when: { every: 3 } });
  sim.faults.add({ endpoint: '*', effect: 'drop-connection', when: { probability: 0 } });
  await bob.account();
  const key = 'key-1';
  const { receipt: payment } = await alice.pay(
    { amount: 12.5, token: 'USDC', recipient: bob.wallet.address },
    { idempotencyKey: key },
  );
  sim.faults.add({ endpoint: 'x402Pay', effect: 'delay-transaction', delay: '45s', when: { nth: 1 } });
  sim.faults.add({ endpoint: 'x402Pay', effect: 'drop-transaction', when: { nth: 2 } });
  for (const amount of [7, 8]) {
    await alice
      .pay({ amount, token: 'USDC', recipient: bob.wallet.address }, { idempotencyKey: `late-${amount}` })
      .catch(() => undefined);
  }
  // Arrived, and not received.
  await sim.faucet(sim.bank.addresses.collection(bob.wallet.address).address, 3, 'USDC');
  await alice.withdraw({ amount: 40, token: 'USDC' }, { idempotencyKey: 'withdrawal' });
  await alice.withdrawSavings({ amount: 1, token: 'USDC' });
  sim.createWallet();
  return { agents: [alice, bob], payment: { tx_signature: payment.tx_signature }, key };
}

/** The state of a busy world on litesvm, unless said otherwise. */
export async function busyState(options: SimulatorOptions = {}): Promise<Buffer> {
  const withdrawals = { variants: { withdrawals: 'queued' } } as const;
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', ...withdrawals, ...options });
  await keepBusy(sim);
  const state = Buffer.from(await sim.exportState());
  await sim.close();
  return state;
}
