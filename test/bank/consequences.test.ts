import { describe, expect, it, onTestFinished } from 'vitest';
import type { BankLimits } from '../../src/core/domain/bank-limits.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { AgentClient } from '../../src/sdk/client/client.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../support/world.js';

const START = { startTime: '2026-01-01T12:00:00Z', oracle: { usdcApy: 0 } } as const;

/** Owes 70 USDC on savings of 100. */
async function owe(agent: AgentClient): Promise<void> {
  await agent.depositSavings({ amount: 100, token: 'USDC' });
  await agent.borrow({ amount: 70 });
}

/** A world with such limits, in which the first agent owes 70 USDC on savings of 100. */
async function borrowed(limits: Partial<BankLimits>, more: SimulatorOptions = {}) {
  const made = await worldWithAgent({ usdc: 100, ...START, limits, ...more });
  await owe(made.agent);
  return made;
}

/** A world with such limits, in which the first agent has a credit line of 1,000 USDC for 30 days at 40 % and nothing else. */
async function lent(limits: Partial<BankLimits>) {
  const sim = await world({ ...START, limits: { minApr: 0.4, maxApr: 0.4, ...limits } });
  await sim.linkIdentity(sim.wallets[0]?.address ?? '', { x: true, github: true });
  const agent = await agentWith(sim, 0);
  const { application } = await agent.applyForLoan({ amount: 1000, purpose: 'task' });
  await sim.reviews.approve(application.id);
  return { sim, agent, loan: application.id };
}

async function history(agent: AgentClient) {
  const { transactions } = await agent.transactions();
  return transactions.map(({ type, amount, balance_after }) => [type, amount, balance_after]);
}

describe('a collateral loan', () => {
  it.each(ENGINES)(
    'is repaid from savings at the midnight after its debt exceeds the share, on %s',
    async (engine) => {
      // Interest of 0.0153424657 a day: 72 is owed after 130 days and 8 hours, on 2026-05-11 at 20:34.
      const { sim, agent } = await borrowed({ liquidationLtv: 0.72 }, { engine });
      await sim.advance({ to: '2026-05-11T23:59:59.999Z' });
      expect((await agent.account()).collateral).toMatchObject({
        total_savings_usdc: 100,
        borrowed: 72.002192,
      });
      const fired = await sim.advance('1ms');
      expect(fired).toContainEqual({
        at: '2026-05-12T00:00:00.000Z',
        kind: 'collateral.liquidated',
        subject: agent.wallet.address,
      });
      const { checking, savings, collateral } = await agent.account();
      expect(checking.usdc).toBe(70);
      expect(savings.usdc).toBe(27.997808);
      expect(collateral).toMatchObject({ limit: 19.598465, borrowed: 0, available: 19.598465 });
      expect((await history(agent))[0]).toEqual(['liquidation', 72.002192, 70]);
      expect(await sim.invariants()).toEqual([]);
      await expect(agent.repay({ amount: 1 })).rejects.toMatchObject({
        code: 'no_outstanding_loan',
      });
    },
  );

  it('is liquidated at the same instants however the clock gets there', async () => {
    const spans = [
      ['400d'],
      Array<string>(400).fill('1d'),
      ['100d', '7h', '1ms', '299d', '17h'],
      ['399d', '1d'],
    ];
    const told = new Set<string>();
    for (const steps of spans) {
      const { sim } = await borrowed({ liquidationLtv: 0.72, setOffShare: 1 });
      for (const step of steps) await sim.advance(step);
      const { entries } = sim.books.page({ kind: 'collateral.liquidated' });
      told.add(JSON.stringify(entries.map(({ at, facts }) => [at, facts])));
    }
    expect(told.size).toBe(1);
    expect([...told][0]).toContain('2026-05-12T00:00:00.000Z');
  });
});

describe('a credit line that is not paid', () => {
  it('costs a late fee once for each due date, which bears interest', async () => {
    const { sim, agent, loan } = await lent({ lateFeeUsd: 25, lateFeeRate: 0.1 });
    const before = await agent.loan(loan);
    const fired = await sim.advance('30d');
    expect(fired.map(({ kind }) => kind).filter((kind) => kind.startsWith('loan'))).toEqual([
      'loan.due',
      'loan.charged',
    ]);
    // 1,000 at 40 % for 30 days: 32.876713 of interest; a tenth of 1,032.876713 and 25.
    expect((await history(agent))[0]).toEqual(['late_fee', 128.287672, 1000]);
    const after = await agent.loan(loan);
    expect(after.loan).toMatchObject({
      status: 'overdue',
      principal: before.loan.principal,
      outstanding: 1161.164385,
    });
    await sim.advance('10d');
    // 1,128.287672 at 40 % for ten days more.
    expect((await agent.loan(loan)).loan.outstanding).toBe(1173.529181);
    await sim.reviews.cure(loan, { dueIn: '5d' });
    await sim.advance('5d');
    const { transactions } = await agent.transactions({ type: 'late_fee' });
    expect(transactions.map(({ counterparty }) => counterparty)).toEqual([loan, loan]);
    expect(await sim.invariants()).toEqual([]);
  });

  it('is repaid by a set-off that covers it, and stays on record as a default', async () => {
    const { sim, agent, loan } = await lent({ setOffShare: 1 });
    await agent.fund(3, 'SOL');
    await agent.fund(500, 'USDC');
    await sim.advance('60d');
    expect((await agent.loan(loan)).loan).toMatchObject({ status: 'repaid', outstanding: 0 });
    expect((await agent.account()).checking).toMatchObject({ usdc: 434.246575, sol: 3 });
    expect(sim.reviews.loan(loan)).toMatchObject({ record: 'defaulted' });
    expect(await sim.invariants()).toEqual([]);
  });

  it('has the same consequences when an operator makes it overdue and default', async () => {
    const { sim, agent, loan } = await lent({ setOffShare: 0.5, lateFeeUsd: 10 });
    await sim.reviews.default(loan);
    expect(await history(agent)).toEqual([
      ['set_off', 500, 500],
      ['late_fee', 10, 1000],
      ['borrow', 1000, 1000],
    ]);
    expect((await agent.loan(loan)).loan.outstanding).toBe(510);
    await sim.advance('90d');
    expect((await history(agent)).length).toBe(3);
  });
});

describe('consequences', () => {
  const ALL = {
    liquidationLtv: 0.71,
    liquidationPenalty: 0.05,
    lateFeeUsd: 5,
    lateFeeRate: 0.01,
    setOffShare: 0.5,
  };

  it('come again after a revert, in a fork and in a world from a state file', async () => {
    const { sim, agent } = await borrowed(ALL);
    await sim.advance('30d');
    const before = await sim.snapshot();
    const state = await sim.exportState();
    const ends = async (of: Simulator) => {
      await of.advance('1y');
      return of.books.page({ kind: 'collateral.liquidated' }).entries;
    };
    const first = await ends(sim);
    expect(first).toHaveLength(1);
    await sim.revert(before);
    expect((await agent.account()).collateral.borrowed).toBeGreaterThan(70);
    const fork = await sim.fork();
    onTestFinished(() => fork.close());
    expect(await ends(fork)).toEqual(first);
    expect(await ends(await world({ state }))).toEqual(first);
    await sim.importState(state);
    expect(await ends(sim)).toEqual(first);
  });

  it('are in the types of the history and in /docs only where a limit brings them about', async () => {
    const types = async (sim: Simulator) => {
      const document = (await (await sim.fetch('/api/v1/openapi.json')).json()) as {
        components: { schemas: { Transaction: { properties: { type: { enum: string[] } } } } };
      };
      return document.components.schemas.Transaction.properties.type.enum.slice(8);
    };
    const sim = await world({ limits: ALL });
    expect(await types(sim)).toEqual(['liquidation', 'late_fee', 'set_off']);
    expect(await (await sim.fetch('/api/v1/docs')).json()).toMatchObject({ limits: ALL });
    const plain = await world();
    expect(await types(plain)).toEqual([]);
    const agent = await agentWith(plain, 0);
    await expect(agent.transactions({ type: 'set_off' })).rejects.toMatchObject({ code: 'invalid_request' });
    const hidden = await world({ limits: ALL, variants: { historyTypes: 'no-credit' } });
    const other = await agentWith(hidden, 0);
    await expect(other.transactions({ type: 'late_fee' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('are explained with the numbers of the case', async () => {
    const { sim } = await borrowed({ liquidationLtv: 0.71 });
    const response = await sim.fetch('/_sim/v1/time/advance', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ by: '1y' }),
    });
    expect(response.status).toBe(200);
    const { text } = sim.explain(response.headers.get('x-request-id') ?? '') ?? { text: '' };
    expect(text).toContain(
      '71.004932 USDC was owed, more than 71% (liquidationLtv) of savings worth 100 USDC with their yield.',
    );
  });
});
