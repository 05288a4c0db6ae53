import { describe, expect, it } from 'vitest';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import type { SimulatorOptions } from '../../../src/runtime/config.js';
import { settlementDue } from '../../../src/core/domain/operations/settle-savings.js';
import type { Simulator } from '../../../src/index.js';
import { ENGINES } from '../../support/world.js';
import { asKilledNow, kept } from './support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

interface Cut {
  /** The folder at each pause: before a transfer is submitted to the chain, and after it ran. */
  readonly left: readonly string[];
  readonly sim: Simulator;
}

/** Another agent's change, which is answered while a transfer is under way. */
const save = (sim: Simulator) => sim.agent(1).depositSavings({ amount: 1, token: 'USDC' });

/** A write while work that fell due is under way: calls wait for that work. */
const write = (sim: Simulator) => sim.whenDurable();

/** Plays a world whose process could be killed around each transfer, after `meanwhile`. */
async function cutAround(
  options: SimulatorOptions,
  meanwhile: (sim: Simulator) => Promise<unknown> | null,
  play: (alice: AgentClient, sim: Simulator, left: readonly string[]) => Promise<unknown>,
): Promise<Cut> {
  const dir = temporaryFolder();
  const left: string[] = [];
  let isOn = false;
  // Midnight, when savings are settled, must be far away: a scaled clock passes hours in seconds.
  const sim = await kept(
    dir,
    { ...options, startTime: '2026-01-01T00:00:00Z' },
    {
      aroundTransfer: async () => {
        if (!isOn) return;
        await meanwhile(sim);
        left.push(asKilledNow(dir));
      },
    },
  );
  const [alice, bob] = [sim.agent(0), sim.agent(1)];
  await alice.fund(100, 'USDC');
  await alice.fund(5, 'SOL');
  await bob.fund(100, 'USDC');
  isOn = true;
  await play(alice, sim, left);
  isOn = false;
  return { left, sim };
}

async function lines(agent: AgentClient, type: string): Promise<string[]> {
  const { transactions } = await agent.transactions({ limit: 100 });
  return transactions.filter((line) => line.type === type).map(({ amount, status }) => `${amount} ${status}`);
}

describe.each(ENGINES)('after a kill in the middle of a transfer, on %s,', (engine) => {
  const withdraw = { amount: 5, token: 'USDC' } as const;
  const key = { idempotencyKey: 'the-same' };

  it('an unsent withdrawal is returned, and its key sends it once more', { tags: ['slow'] }, async () => {
    const { left } = await cutAround({ engine }, save, (alice) => alice.withdraw(withdraw, key));
    const again = await kept(left[0] as string, { engine });
    const alice = again.agent(0);
    expect(await again.invariants()).toEqual([]);
    expect(await lines(alice, 'withdraw')).toEqual(['5 failed']);
    expect((await alice.account()).checking.usdc).toBe(100);
    const sent = await alice.withdraw(withdraw, key);
    expect(await alice.withdraw(withdraw, key)).toEqual(sent);
    expect((await alice.account()).checking.usdc).toBe(95);
    expect(await again.invariants()).toEqual([]);
  });

  it('an executed withdrawal is posted, and its key returns its response', async () => {
    const { left, sim } = await cutAround({ engine }, save, (alice) => alice.withdraw(withdraw, key));
    const again = await kept(left[1] as string, { engine });
    const alice = again.agent(0);
    expect(await again.invariants()).toEqual([]);
    expect(await lines(alice, 'withdraw')).toEqual(['5 completed']);
    const told = await alice.withdraw(withdraw, key);
    expect(told).toEqual(await sim.agent(0).withdraw(withdraw, key));
    expect((await alice.account()).checking.usdc).toBe(95);
  });

  it('a payment is returned or posted likewise, and its key returns its receipt', async () => {
    const recipient = 'GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW';
    const pay = { recipient, amount: 2, token: 'USDC', service_url: 'https://service.example' } as const;
    const { left, sim } = await cutAround({ engine }, save, (alice) => alice.pay(pay, key));
    const [before, after] = [
      await kept(left[0] as string, { engine }),
      await kept(left[1] as string, { engine }),
    ];
    expect(await lines(before.agent(0), 'x402_payment')).toEqual(['2 failed']);
    expect(await after.agent(0).pay(pay, key)).toEqual(await sim.agent(0).pay(pay, key));
    const paid = await before.agent(0).pay(pay, key);
    expect(await before.agent(0).pay(pay, key)).toEqual(paid);
    for (const one of [before, after]) {
      expect((await one.agent(0).account()).checking.usdc).toBe(98);
      expect(await one.invariants()).toEqual([]);
    }
  });

  it('a due queued withdrawal is carried out once', async () => {
    const options = { engine, variants: { withdrawals: 'queued' } } as const;
    const { left } = await cutAround(options, write, async (alice, sim) => {
      sim.setTime('frozen');
      await alice.withdraw(withdraw, key);
      // It falls due, and a call arrives.
      const { withdrawalDelayMs } = sim.config;
      await sim.advance(withdrawalDelayMs - 1);
      await alice.account();
      sim.setTime('1000x');
      while ((await lines(alice, 'withdraw'))[0] !== '5 completed') await alice.account();
      sim.setTime('frozen');
    });
    expect(left.length).toBe(2);
    for (const dir of left) {
      const again = await kept(dir, { engine });
      const alice = again.agent(0);
      await again.advance('1h');
      expect(await lines(alice, 'withdraw')).toEqual(['5 completed']);
      expect((await alice.account()).checking.usdc).toBe(95);
      expect(await again.invariants()).toEqual([]);
    }
  });

  it('savings of both tokens are settled once', async () => {
    const { left } = await cutAround({ engine }, write, async (alice, sim, pauses) => {
      await alice.depositSavings({ amount: 40, token: 'USDC' });
      await alice.depositSavings({ amount: 2, token: 'SOL' });
      // Their settlement is a day later.
      await sim.advance('23h59m');
      await alice.signIn();
      sim.setTime('1000x');
      while (pauses.length < 4) await alice.account();
      sim.setTime('frozen');
    });
    expect(left.length).toBe(4);
    for (const dir of left) {
      const again = await kept(dir, { engine });
      expect(await again.invariants()).toEqual([]);
      expect(settlementDue(again.bank.books.state)).toEqual({ USDC: 0n, SOL: 0n });
      await again.advance('30d');
      expect(await again.invariants()).toEqual([]);
      await again.agent(0).withdrawSavings({ amount: 40, token: 'USDC' });
      await again.advance('30d');
      expect(await again.invariants()).toEqual([]);
    }
  });
});
