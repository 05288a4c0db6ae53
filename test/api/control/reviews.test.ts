import { describe, expect, it } from 'vitest';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import { createSimulator } from '../../../src/simulator/simulator.js';
import { agentWith, expectRefusal, world, worldWithAgent, worldWithControl } from '../../support/world.js';

async function apply(agent: AgentClient, amount = 200): Promise<{ id: string; status: string }> {
  return (await agent.applyForLoan({ amount, purpose: 'task', duration: 30 })).application;
}

/** A world with an agent that has a loan of 200 USDC for 30 days. */
async function lent(options: Parameters<typeof world>[0] = {}) {
  const { sim, control, agent } = await worldWithAgent({ usdc: 1_000, ...options });
  const { id } = await apply(agent);
  await sim.reviews.approve(id);
  return { sim, control, agent, id };
}

describe('review policy', () => {
  it('decides later applications, and is shown', async () => {
    const { sim, control } = await worldWithControl();
    expect(await control.do('reviewPolicy')).toEqual({ policy: 'manual' });
    const agent = await agentWith(sim, 0, { usdc: 1_000 });
    const statuses = [(await apply(agent, 100)).status];
    for (const policy of ['delay:2h', 'auto']) {
      expect(await control.do('setReviewPolicy', { body: { policy } })).toEqual({ policy });
      statuses.push((await apply(agent, 101)).status);
    }
    expect(statuses).toEqual(['pending_review', 'pending_review', 'approved']);
    const { loans } = await control.do('loans');
    expect(loans.map(({ reason }) => reason)).toEqual(['decided by the score', null, null]);
    expect((await sim.advance('2h')).map(({ kind }) => kind)).toEqual(['review.decided']);
    expect(sim.reviews.list().map(({ amount }) => amount)).toEqual([100]);
    expect(await sim.invariants()).toEqual([]);
  });

  it('is rejected with the allowed forms, over HTTP and as a variant', async () => {
    const { sim, control } = await worldWithControl();
    for (const policy of ['', 'perhaps', 'delay:soon'])
      await expectRefusal(control.do('setReviewPolicy', { body: { policy } }), 'such as delay:2h');
    await expect(createSimulator({ variants: { review: 'perhaps' } })).rejects.toThrow('such as delay:2h');
    expect(sim.reviews.policy()).toEqual({ policy: 'manual' });
  });
});

describe('the list of loans', () => {
  it('comes by pages, newest first, with the number of all that match', async () => {
    const { sim, control } = await worldWithControl();
    const [agent, other] = [await agentWith(sim, 0, { usdc: 1_000 }), await agentWith(sim, 1)];
    for (let at = 0; at < 5; at += 1) await sim.reviews.approve((await apply(agent, 100 + at)).id);
    await apply(agent, 105);
    await sim.reviews.approve((await apply(other, 106)).id);
    const page = async (query: Record<string, string | number>) => {
      const { loans, total } = await control.do('loans', { query });
      return [loans.map(({ amount }) => amount), total];
    };
    const own = { wallet: sim.wallets[0]?.address ?? '' };
    expect(await page({})).toEqual([[106, 105, 104, 103, 102, 101, 100], 7]);
    expect(await page({ ...own, status: 'active', limit: 2 })).toEqual([[104, 103], 5]);
    expect(await page({ ...own, status: 'active', limit: 2, offset: 2 })).toEqual([[102, 101], 5]);
    expect(await page({ ...own, status: 'active', offset: 4 })).toEqual([[100], 5]);
    expect(await page({ offset: 7 })).toEqual([[], 7]);
  });
});

describe('operator action on a loan', () => {
  it('refuses the second of two payments at once before anything is sent', async () => {
    const { sim, id } = await lent();
    const treasury = async () => (await sim.chain.balances(sim.facts.treasury)).usdcBase;
    const before = await treasury();
    const payments = [sim.reviews.pay(id, 200), sim.reviews.pay(id, 200)];
    const outcomes = payments.map((payment) =>
      payment.then(
        ({ paid }) => paid,
        (error: Error) => error,
      ),
    );
    const [first, second] = await Promise.all(outcomes);
    expect(first).toBe(200);
    expect(second).toMatchObject({ refusal: { code: 'loan_not_active' } });
    expect((await treasury()) - before).toBe(200_000_000n);
  });

  it('shows the agent the new due date and the payment', async () => {
    const { sim, control, agent, id } = await lent();
    await sim.reviews.setOverdue(id, 'drill');
    const due = async () => (await agent.loans()).summary.nextPayment?.dueDate;
    expect(await due()).toBe('2026-01-01T00:00:00.000Z');
    await control.do('cureLoan', { id, body: { dueDate: '2026-05-05T05:05:05Z', reason: 'agreed' } });
    expect(await due()).toBe('2026-05-05T05:05:05.000Z');
    expect((await sim.advance({ until: 'loan.due' })).at(-1)).toEqual({
      at: '2026-05-05T05:05:05.000Z',
      kind: 'loan.due',
      subject: id,
    });
    const { signature } = await sim.reviews.pay(id, 20);
    const { transactions } = await agent.transactions({ type: 'repay' });
    expect(transactions).toMatchObject([{ amount: 20, token: 'USDC' }]);
    const again = agent.deposit({ amount: 20, token: 'USDC', tx_signature: signature });
    await expect(again).rejects.toMatchObject({ code: 'transaction_already_recorded' });
  });

  it('is explained with its entries by its request id', async () => {
    const { sim, id } = await lent();
    const asked = async (path: string, body: object) => {
      const init = { method: 'POST', body: JSON.stringify(body) };
      const { headers } = await sim.fetch(`/_sim/v1/loans/${id}/${path}`, init);
      return sim.explain(headers.get('x-request-id') ?? '')?.text;
    };
    const missed = await asked('default', { reason: 'drill' });
    for (const entry of ['loan.called (drill)', 'loan.overdue', 'loan.defaulted'])
      expect(missed).toContain(entry);
    expect(await asked('cure', { reason: 'agreed' })).toContain('loan.cured (agreed)');
    expect(await asked('pay', { amount: 7 })).toContain('loan.repaid');
  });

  it('is rejected when it does not fit the loan, and moves no money', async () => {
    const { sim, control, id } = await lent();
    const treasury = async () => (await sim.chain.balances(sim.facts.treasury)).usdcBase;
    const before = await treasury();
    const body = {};
    for (const [call, status, text] of [
      [() => control.do('cureLoan', { id, body }), 400, 'only an overdue or defaulted one'],
      [() => control.do('payLoan', { id, body: { amount: 1e-9 } }), 400, 'smallest unit'],
      [() => control.do('payLoan', { id: 'loan_none', body: { amount: 1 } }), 404, 'no such loan'],
      ...(['overdueLoan', 'defaultLoan', 'cureLoan'] as const).map(
        (command) => [() => control.do(command, { id: 'loan_none', body }), 404, 'no such loan'] as const,
      ),
      [() => control.do('loans', { query: { limit: 0 } }), 400, 'limit'],
    ] as const) {
      await expectRefusal(call(), text, status);
    }
    await expect(sim.reviews.approve(id)).rejects.toThrow(
      'The application is already decided: its loan is active; sim review loans lists all.',
    );
    await control.do('overdueLoan', { id, body });
    for (const [cure, text] of [
      [{ dueDate: '2020-01-01' }, 'must be in the future'],
      [{ dueDate: '2026-01-01' }, 'must be in the future'],
      [{ dueIn: 'soon' }, 'not a duration'],
      [{ dueDate: 'soon' }, 'not an ISO 8601 instant'],
      [{ dueDate: '2027-01-01', dueIn: '1d' }, 'not both'],
    ] as const) {
      await expectRefusal(control.do('cureLoan', { id, body: cure }), text);
    }
    await sim.reviews.pay(id, 1_000);
    await expect(sim.reviews.pay(id, 1)).rejects.toThrow('not open');
    expect((await treasury()) - before).toBe(1_000_000_000n);
  });

  it('pays a loan immediately although confirmation takes slots', async () => {
    const waiting = await world({ confirmationSlots: 5, variants: { review: 'auto' } });
    const agent = waiting.agent(0);
    const made = await apply(agent);
    expect((await waiting.reviews.pay(made.id, 20)).loan.outstanding).toBe(180);
    expect(await waiting.invariants()).toEqual([]);
  });
});
