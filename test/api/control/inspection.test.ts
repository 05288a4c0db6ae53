import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { ENGINES, agentWith, worldWithControl } from '../../support/world.js';
import { lived } from './lived.js';

type Lived = Awaited<ReturnType<typeof lived>>;
type Page = { readonly rows: readonly unknown[]; readonly next: string | null };
type List = (here: Lived) => (paging: object) => Promise<Page>;

const entriesBy =
  (order: 'newest' | 'oldest'): List =>
  ({ control }) =>
  async (paging) => {
    const { entries, next } = await control.do('journalEntries', { query: { order, ...paging } });
    return { rows: entries.map(({ entry }) => entry), next };
  };
const customersBy =
  (sort: 'opened' | 'balance' | 'score' | 'lastCall', order: 'asc' | 'desc'): List =>
  ({ control }) =>
  async (paging) => {
    const { customers, next } = await control.do('customers', { query: { sort, order, ...paging } });
    return { rows: customers.map(({ wallet }) => wallet), next };
  };

/** Lists that come by page, and what adds a row to them. */
const LISTS: Readonly<Record<string, readonly [List, add: (here: Lived) => unknown]>> = {
  'entries, newest first': [entriesBy('newest'), saves],
  'entries, oldest first': [entriesBy('oldest'), saves],
  'customers, last opened first': [customersBy('opened', 'desc'), opensAccount],
  'customers, first opened first': [customersBy('opened', 'asc'), opensAccount],
  'customers, poorest first': [customersBy('balance', 'asc'), opensAccount],
  'customers, best score first': [customersBy('score', 'desc'), opensAccount],
  'customers, last call first': [customersBy('lastCall', 'desc'), opensAccount],
  'the history of a customer': [
    ({ control, adaWallet: id }) =>
      async (query) => {
        const { records, next } = await control.do('customerHistory', { id, query });
        return { rows: records.map((record) => record.id), next };
      },
    saves,
  ],
  'transactions of an address': [
    ({ control, adaWallet: address }) =>
      async (paging) => {
        const query = { address, ...paging };
        const { transactions, next } = await control.do('transactions', { query });
        return { rows: transactions.map(({ signature }) => signature), next };
      },
    ({ sim, adaWallet }) => sim.faucet(adaWallet, 1, 'SOL'),
  ],
};

function saves({ ada }: Lived) {
  return ada.depositSavings({ amount: 1, token: 'USDC' });
}

function opensAccount({ sim }: Lived) {
  sim.bank.openAccount(AgentWallet.generate().address);
  return sim.setBalance(AgentWallet.generate().address, 1, 'SOL');
}

describe.each(ENGINES)('a list by page on %s', (engine) => {
  it.each(Object.entries(LISTS))(
    'has each row once while others arrive: %s',
    async (_what, [listOf, add]) => {
      const here = await lived({ engine });
      for (let count = 0; count < 5; count += 1) await add(here);
      const list = listOf(here);
      const { rows: before } = await list({ limit: 1_000 });
      const rows: unknown[] = [];
      for (let cursor: object | null = {}, pages = 0; cursor !== null; pages += 1) {
        const { rows: more, next } = await list({ ...cursor, limit: 2 });
        rows.push(...more);
        if (pages < 5) await add(here);
        cursor = next === null ? null : { cursor: next };
      }
      expect(before.length).toBeGreaterThan(4);
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows.filter((row) => before.includes(row))).toHaveLength(before.length);
    },
  );
});

describe.each(ENGINES)('the journal by page on %s', (engine) => {
  it('finds entries by wallet, kind, account, token, status and time', async () => {
    const { control, sim, adaWallet } = await lived({ engine });
    const find = async (query: object) =>
      (await control.do('journalEntries', { query: { ...query, limit: 1_000 } })).entries;
    const all = await find({});
    expect(all).toHaveLength(sim.books.entries());
    expect(all.map(({ entry }) => entry)).toEqual(all.map((_, at) => all.length - at));
    expect(await find({ order: 'oldest' })).toEqual(all.toReversed());
    const kinds = (await find({ wallet: adaWallet })).map(({ kind }) => kind);
    expect(kinds).toContain('outflow.posted');
    expect(kinds).not.toContain('bank.opened');
    const own = all.filter(
      ({ wallet, postings }) => wallet === adaWallet || postings.some(({ owner }) => owner === adaWallet),
    );
    expect(kinds).toHaveLength(own.length);
    const postings = [{ token: 'SOL' }, { token: 'SOL' }];
    const deposit = { kind: 'deposit', wallet: adaWallet, status: 'completed', postings };
    expect(await find({ kind: 'deposit', token: 'SOL' })).toMatchObject([deposit]);
    expect((await find({ account: 'savings' })).map(({ kind }) => kind)).toEqual(['savings.deposit']);
    expect(await find({ account: 'savings', token: 'SOL' })).toEqual([]);
    expect(await find({ status: 'pending' })).toEqual([]);
    const hour = '2026-01-01T01:00:00.000Z';
    const later = await find({ from: hour });
    expect(later.length).toBeGreaterThan(0);
    expect(later).toEqual(all.filter(({ at }) => at >= hour));
    expect(await find({ to: '2026-01-01T00:59:59.999Z' })).toEqual(all.filter(({ at }) => at < hour));
    expect(await find({ from: hour, to: '2026-01-01' })).toEqual([]);
  });

  it('shows a failed outflow as such in each of its entries', async () => {
    const { control, sim, ada } = await lived({ engine, variants: { withdrawals: 'queued' } });
    await ada.withdraw({ amount: 10, token: 'USDC' });
    const query = { kind: 'outflow.pending' } as const;
    const statuses = async () =>
      (await control.do('journalEntries', { query })).entries.map(({ status }) => status);
    expect((await statuses())[0]).toBe('pending');
    await sim.advance('1d');
    expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
  });

  it('follows a revert, and an import of a state', async () => {
    const { control, ada, sim } = await lived({ engine });
    const id = await sim.snapshot();
    const entries = async () => (await control.do('journalEntries', { query: { limit: 1_000 } })).entries;
    const before = await entries();
    const saved = async () =>
      (await control.do('journalEntries', { query: { kind: 'savings.deposit' } })).entries.length;
    expect(await saved()).toBe(1);
    await ada.depositSavings({ amount: 7, token: 'USDC' });
    await ada.depositSavings({ amount: 8, token: 'USDC' });
    expect(await entries()).toHaveLength(before.length + 2);
    expect(await saved()).toBe(3);
    await sim.revert(id);
    expect(await saved()).toBe(1);
    expect(await entries()).toEqual(before);
    const { debits, credits } = await control.do('trialBalance');
    expect(debits).toEqual(credits);
    await sim.revert(id);
    await ada.withdrawSavings({ amount: 7, token: 'USDC' });
    expect((await entries())[0]).toMatchObject({ kind: 'savings.withdraw' });
    expect(await saved()).toBe(1);
    expect((await entries()).filter(({ kind }) => kind === 'savings.withdraw')).toHaveLength(1);
    await sim.importState(await sim.exportState());
    expect((await entries())[0]).toMatchObject({ kind: 'savings.withdraw' });
    expect((await control.do('trialBalance')).entry).toBe(sim.books.entries());
  });

  it('gives the trial balance of any past instant, which balances', async () => {
    const { control, sim } = await lived({ engine });
    const now = await control.do('trialBalance');
    const totals = sim.books.totals();
    expect(now).toMatchObject({ entry: sim.books.entries(), at: '2026-01-01T01:00:00.000Z' });
    const usdc = (name: string) =>
      now.accounts.find(({ account, token }) => account === name && token === 'USDC');
    expect(usdc('checking')).toMatchObject({ debit: 0, credit: totals.checking.USDC });
    expect(usdc('treasury')).toMatchObject({ debit: totals.treasury.USDC, credit: 0 });
    for (let entry = 0; entry <= sim.books.entries(); entry += 1) {
      const { debits, credits } = await control.do('trialBalance', { query: { entry } });
      expect(debits).toEqual(credits);
    }
    const earlier = await control.do('trialBalance', { query: { at: '2026-01-01T00:30:00Z' } });
    expect(earlier.entry).toBeLessThan(now.entry);
    const before = await control.do('trialBalance', { query: { at: '1999-01-01' } });
    expect([before.entry, before.debits]).toEqual([0, { USDC: 0, SOL: 0 }]);
    await expect(control.do('trialBalance', { query: { at: '2030-01-01' } })).rejects.toMatchObject({
      status: 400,
      message: 'at: 2030-01-01T00:00:00.000Z is in the future; it is 2026-01-01T01:00:00.000Z',
    });
  });
});

it('trial balances and series of an instant count the entries up to it, in whatever order they were booked', async () => {
  let wall = 0;
  const hooks = { wall: () => wall };
  const variants = { withdrawals: 'queued', review: 'delay:2h' } as const;
  const options = { startTime: '2026-01-01', variants, withdrawalDelay: '10m' };
  const { sim, control } = await worldWithControl(options, hooks);
  const agent = await agentWith(sim, 0, { usdc: 500 });
  await agent.withdraw({ amount: 60, token: 'USDC' });
  await agent.applyForLoan({ amount: 200, purpose: 'task' });
  sim.setTime('real');
  wall += 3 * 3_600_000;
  // The withdrawal is sent now, and the decision on the loan counts from its own instant.
  await agent.account();
  const { entries } = await control.do('journalEntries', { query: { order: 'oldest' } });
  const { at, series } = await control.do('balanceSeries', { query: { points: 7 } });
  const { wallet } = agent;
  const own = await control.do('balanceSeries', { query: { points: 7, wallet: wallet.address } });
  for (const [index, instant] of at.entries()) {
    const counted = entries.filter((entry) => entry.at <= instant);
    const owned = (account: string) =>
      counted
        .flatMap(({ postings }) => postings)
        .filter((posting) => posting.account === account && posting.token === 'USDC')
        .reduce((sum, { amount }) => sum - amount, 0);
    const { accounts, entry } = await control.do('trialBalance', { query: { at: instant } });
    expect(entry).toBe(counted.at(-1)?.entry);
    for (const name of ['pending', 'checking']) {
      const isRow = ({ account, token }: { account: string; token: string }) =>
        account === name && token === 'USDC';
      const then = accounts.find(isRow);
      expect((then?.credit ?? NaN) - (then?.debit ?? NaN), `${name} at ${instant}`).toBe(owned(name));
      expect(series.find(isRow)?.values[index], `${name} at ${instant}`).toBe(owned(name));
      expect(own.series.find(isRow)?.values[index], `${name} at ${instant}`).toBe(owned(name));
    }
  }
});

describe.each(ENGINES)('customers on %s', (engine) => {
  it('are listed by page, sorted and searched', async () => {
    const { control, sim, adaWallet, bob } = await lived({ engine });
    const carol = await agentWith(sim, 2);
    await carol.account();
    const wallets = async (query: object) =>
      (await control.do('customers', { query })).customers.map(({ wallet }) => wallet);
    const bobWallet = bob.wallet.address;
    const carolWallet = carol.wallet.address;
    expect(await wallets({ sort: 'balance' })).toEqual([adaWallet, bobWallet, carolWallet]);
    expect(await wallets({ sort: 'balance', order: 'asc' })).toEqual([carolWallet, bobWallet, adaWallet]);
    for (const sort of ['debt', 'savings']) expect((await wallets({ sort }))[0]).toBe(adaWallet);
    for (const sort of ['lastCall', 'opened']) expect((await wallets({ sort }))[0]).toBe(carolWallet);
    expect(await wallets({ search: bobWallet.slice(3, 12).toLowerCase() })).toEqual([bobWallet]);
    expect(await wallets({ search: 'ünïcode 🂡' })).toEqual([]);
    const { customers } = await control.do('customers', { query: { sort: 'score' } });
    const profile = await bob.profile();
    expect(customers.find(({ wallet }) => wallet === bobWallet)).toMatchObject({
      checking: { USDC: 100, SOL: 0 },
      debt: 0,
      score: profile.creditScore.score,
      loans: 0,
      lastCall: { operation: 'deposit', status: 200 },
    });
    expect(customers.find(({ wallet }) => wallet === adaWallet)).toMatchObject({ debt: 250, loans: 1 });
  });

  it('are shown whole, one by one', async () => {
    const { control, adaWallet, ada, sim, loan } = await lived({ engine });
    const shown = await control.do('customer', { id: adaWallet });
    const { creditScore } = await ada.profile();
    const account = await ada.account();
    const midnight = '2026-01-02T00:00:00.000Z';
    expect(shown).toMatchObject({
      wallet: adaWallet,
      accounts: { checking: { USDC: account.checking.usdc } },
      savings: { USDC: { principal: 500, apy: 0.017 } },
      limits: {
        withdraw: { limit: 1_000, used: 100, left: 900, frees: [{ at: midnight, usd: 100 }] },
        x402: { used: 30, left: 970, frees: [{ at: midnight, usd: 30 }] },
      },
      collateral: { ltv: 0.7, limit: 350, borrowed: 50, available: 300 },
      score: {
        score: creditScore.score,
        subscores: creditScore.subscores,
        evidence: { x: false, github: false, defaulted: 0 },
      },
      loans: [{ loanId: loan, status: 'active', outstanding: 200 }],
      onChain: { wallet: { USDC: 98_100 } },
    });
    expect(shown.history.map(({ type }) => type).join(' ')).toBe(
      'borrow borrow x402_payment withdraw savings_deposit deposit deposit',
    );
    expect(shown.history).toEqual((await control.do('customerHistory', { id: adaWallet })).records);
    await sim.advance('23h');
    const { withdraw } = (await control.do('customer', { id: adaWallet })).limits;
    expect(withdraw).toEqual({ limit: 1_000, used: 0, left: 1_000, frees: [] });
    const refusal = { status: 404, code: 'customer_not_found' };
    await expect(control.do('customer', { id: 'nobody' })).rejects.toMatchObject(refusal);
  });

  it('have limits that come free use by use in a rolling window', async () => {
    const { control, ada, adaWallet, sim } = await lived({
      engine,
      variants: { dailyWindow: 'rolling-24h' },
    });
    await ada.withdraw({ amount: 5, token: 'USDC' });
    await ada.withdraw({ amount: 6, token: 'USDC' });
    const limit = async () => (await control.do('customer', { id: adaWallet })).limits.withdraw;
    expect(await limit()).toMatchObject({
      used: 111,
      frees: [
        { at: '2026-01-02T00:00:00.000Z', usd: 100 },
        { at: '2026-01-02T01:00:00.000Z', usd: 11 },
      ],
    });
    const [first] = (await limit()).frees;
    await sim.advance({ to: first?.at ?? '' });
    expect(await limit()).toMatchObject({ used: 11, left: 989 });
  });
});

describe.each(ENGINES)('the chain, decoded, on %s', (engine) => {
  it('lists transactions by filter, and shows one with its balances', async () => {
    const { control, adaWallet } = await lived({ engine });
    const { transactions } = await control.do('transactions', { query: { address: adaWallet } });
    expect(transactions.length).toBeGreaterThanOrEqual(2);
    expect(await control.do('transactions', { query: { status: 'failed' } })).toMatchObject({
      transactions: [],
    });
    const [withdrawal] = (await control.do('customerHistory', { id: adaWallet, query: { type: 'withdraw' } }))
      .records;
    const shown = await control.do('transaction', { id: withdrawal?.tx_signature ?? '' });
    expect(shown).toMatchObject({ error: null, version: expect.anything() as unknown });
    expect(JSON.stringify(shown.instructions)).toContain('"program":"spl-token"');
    expect(shown.logs.length).toBeGreaterThan(0);
    const moved = shown.accounts
      .map(({ before, after }) => (after?.tokens?.amount ?? 0) - (before?.tokens?.amount ?? 0))
      .filter((amount) => amount !== 0);
    expect(moved.toSorted((a, b) => a - b)).toEqual([-100, 100]);
  });

  it('shows accounts with parsed data', async () => {
    const { control, sim, adaWallet } = await lived({ engine });
    expect(await control.do('chainAccount', { id: adaWallet })).toMatchObject({
      address: adaWallet,
      bytes: 0,
      data: null,
    });
    const mint = await control.do('chainAccount', { id: sim.facts.usdcMint });
    expect(mint).toMatchObject({ bytes: 82, data: { program: 'spl-token', parsed: { type: 'mint' } } });
    const none = AgentWallet.generate().address;
    const refusal = { status: 404, code: 'account_not_found' };
    await expect(control.do('chainAccount', { id: none })).rejects.toMatchObject(refusal);
  });
});

describe('series for charts', () => {
  it('end with the present figures, follow the journal, and have at most 1,000 points', async () => {
    const { control, sim, adaWallet } = await lived();
    await sim.advance('1d');
    const { at, series } = await control.do('balanceSeries', { query: { points: 25 } });
    expect([at.length, at[0], at.at(-1)]).toEqual([
      25,
      '2026-01-01T00:00:00.000Z',
      '2026-01-02T01:00:00.000Z',
    ]);
    const totals = sim.books.totals();
    for (const { account, token, values } of series) expect(values.at(-1)).toBe(totals[account][token]);
    for (const [index, instant] of at.entries()) {
      const { accounts } = await control.do('trialBalance', { query: { at: instant } });
      for (const { account, token, values } of series) {
        const then = accounts.find((row) => row.account === account && row.token === token);
        expect(Math.abs(values[index] ?? NaN)).toBe((then?.debit ?? NaN) + (then?.credit ?? NaN));
      }
    }
    const own = await control.do('balanceSeries', {
      query: { wallet: adaWallet, account: 'checking', token: 'USDC', points: 1_000 },
    });
    expect(own.series).toHaveLength(1);
    expect(own.series[0]?.values).toHaveLength(1_000);
    expect(own.series[0]?.values.at(-1)).toBe(sim.books.of(adaWallet)?.checking.USDC);
    expect(own.series[0]?.values[0]).toBe(1_400);
  });

  it('show rates as they were, and count requests and refusals, but for tokens that clients renew', async () => {
    const { control, sim, ada } = await lived();
    sim.oracle.setPrice('SOL', 120);
    await sim.advance('3d');
    await expect(ada.withdraw({ amount: 9_000, token: 'USDC' })).rejects.toThrow();
    const rates = await control.do('rateSeries', { query: { points: 3 } });
    const sol = rates.series.find(({ kind, token }) => kind === 'usd' && token === 'SOL');
    expect(sol?.values).toEqual([150, 120, 120]);
    const { requests, refused } = await control.do('requestSeries', { query: { points: 3 } });
    const events = sim.events.page({ after: 0, limit: 1_000 }).events.map(({ body }) => body);
    const calls = events.filter((body) => body.kind === 'request' && body.interface === 'api');
    expect(requests.reduce((sum, count) => sum + count)).toBe(calls.length);
    expect(calls).toContainEqual(expect.objectContaining({ code: 'token_expired' }));
    expect(refused).toEqual([0, 0, 1]);
  });

  it('of one instant have one point, and refuse spans that are none', async () => {
    const { control } = await lived({});
    const query = { from: '2026-01-01T01:00:00Z' };
    expect((await control.do('rateSeries', { query })).at).toEqual(['2026-01-01T01:00:00.000Z']);
    for (const wrong of [{ from: '2030-01-01' }, { points: 1 }, { points: 1_001 }, { from: 'NaN' }])
      await expect(control.do('balanceSeries', { query: wrong })).rejects.toMatchObject({ status: 400 });
  });
});
