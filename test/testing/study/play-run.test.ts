import { describe, expect, it } from 'vitest';
import { credit, debit, draft } from '../../../src/core/domain/entry.js';
import { Tally } from '../../../src/testing/study/play/tally.js';
import type { RunResult } from '../../../src/testing/study/play/play-run.js';
import { SMALL, played, plannedStudy, seriesOf } from './studies.js';

const MODULE = `
export const personas = {
  runner: {
    begins: { wallet: { usdc: 10, sol: 1 }, savings: { usdc: 100 } },
    act: (agent, { tick }) =>
      tick < 3 ? { do: 'account' } : agent.savings('USDC') > 0
        ? { do: 'savings.withdraw', amount: agent.savings('USDC'), token: 'USDC' } : null,
  },
};
export const metrics = {
  poorest: { summary: 'smallest savings', measure: ({ agents }) => Math.min(...agents.map((a) => a.savings('USDC'))) },
  kinds: { measure: (_, entries) => Object.fromEntries(entries.map(({ facts }) => [facts.kind, 1])) },
};
`;

/** Plays the first run of a study with a module of its own. */
async function playedWith(module: string, study: string): Promise<RunResult> {
  return played(await plannedStudy(`name: a\nmodule: ./own.mjs\n${study}`, { 'own.mjs': module }));
}

describe('a run of a study', () => {
  it('differs by its seed and by its point', async () => {
    const plan = await plannedStudy(SMALL);
    const [first, repeated, other] = [await played(plan, 1), await played(plan, 2), await played(plan, 3)];
    expect(repeated.series).not.toEqual(first.series);
    expect(other.series).not.toEqual(first.series);
    expect([first.seed, repeated.seed, other.seed]).toEqual(['study/1/1', 'study/1/2', 'study/1/1']);
    // Before the first action, runs of the same repetition are the same.
    expect(seriesOf(other, 'balances', 'checking/USDC').get(0)).toBe(
      seriesOf(first, 'balances', 'checking/USDC').get(0),
    );
  });

  it('stops at a violated invariant, with the state of its world', async () => {
    const plan = await plannedStudy(SMALL);
    const run = await played(plan, 1, (tick, sim) => {
      const [wallet = ''] = sim.bank.books.state.agents.keys();
      const money = { token: 'USDC', amountBase: 5n } as const;
      const facts = { kind: 'deposit', ...money, signature: 'none', sender: wallet } as const;
      const postings = [debit('treasury', null, 'USDC', 5n), credit('checking', wallet, 'USDC', 5n)];
      if (tick === 2) sim.bank.books.append(draft(wallet, facts, postings), sim.now().getTime());
    });
    expect(run.failure).toMatchObject({ rule: 'books = chain', tick: 3, at: '2026-01-04T00:00:00.000Z' });
    expect(run.failure?.text).toContain('treasury USDC');
    expect(Buffer.from(run.failure?.state ?? '', 'base64').length).toBeGreaterThan(1_000);
    expect(run.ticks).toBe(3);
  });

  it('plays personas and metrics of a module', async () => {
    const study =
      'population: { count: 5, personas: { runner: 1 }, spread: 0 }\nspan: 4d\nmetrics: [poorest, kinds]\n';
    const run = await playedWith(MODULE, study);
    expect([...seriesOf(run, 'poorest', '').values()]).toEqual([100, 100, 100, 0, 0]);
    expect([...seriesOf(run, 'kinds', 'savings.withdraw')]).toEqual([
      [3, 1],
      [4, 0],
    ]);
    const { metrics } = await plannedStudy(`name: a\nmodule: ./own.mjs\n${study}`, { 'own.mjs': MODULE });
    expect(metrics['poorest']).toEqual({ summary: 'smallest savings', keys: '', of: 'instant' });
  });

  it('has no row of limitUse where no agent has withdrawn', async () => {
    const run = await playedWith(
      `export const personas = { odd: {
        begins: { wallet: { usdc: 1, sol: 1 }, checking: { usdc: 100 } },
        act: (_agent, { tick }) => tick % 3 === 1 ? { do: 'withdraw', amount: 10, token: 'USDC' } : null,
      } };`,
      'population: { count: 1, personas: { odd: 1 }, spread: 0 }\nspan: 6d\nmetrics: [limitUse, limitHits]\n',
    );
    expect([...seriesOf(run, 'limitUse', 'withdraw/odd').keys()]).toEqual([1, 4]);
  });

  it('does nothing with an amount of 0, a negative one, or one that is no number', async () => {
    const run = await playedWith(
      `const kinds = ['withdraw', 'deposit', 'send', 'savings.deposit', 'x402.pay', 'loans.repay'];
      export const personas = { odd: {
        begins: { wallet: { usdc: 1, sol: 1 } },
        act: (agent, { tick }) => ({ do: kinds[tick % kinds.length], amount: [0, -1, NaN][tick % 3], token: 'USDC' }),
      } };`,
      'population: { count: 2, personas: { odd: 1 }, spread: 0 }\nspan: 9d\nmetrics: [balances]\n',
    );
    expect(run).toMatchObject({ failure: null, actions: 0, refused: 0 });
  });

  it('counts loans that are liquidated, overdue and set off', async () => {
    const run = await playedWith(
      `export const personas = { odd: {
        begins: { wallet: { usdc: 1, sol: 5 }, checking: { usdc: 2000 }, savings: { usdc: 1000 }, identity: { x: true, github: true } },
        act: (agent, { tick }) => tick === 1 ? { do: 'collateral.borrow', amount: agent.borrowable() } : tick === 2 ? { do: 'loans.apply', amount: 100, days: 7 } : null,
      } };`,
      'population: { count: 6, personas: { odd: 1 }, spread: 0 }\nspan: 100d\nmetrics: [consequences, loans, approvals, defaults, ltv]\n' +
        'world: { limits: { liquidationLtv: 0.705, setOffShare: 1 } }\n',
    );
    expect(run).toMatchObject({ failure: null, refused: 0 });
    const last = (metric: string, key: string) => seriesOf(run, metric, key).get(100) ?? 0;
    expect(last('consequences', 'liquidation')).toBe(6);
    expect([...seriesOf(run, 'ltv', 'max').values()].every((ltv) => ltv < 0.71)).toBe(true);
    const sum = (metric: string) =>
      run.series.keys
        .filter(([name]) => name === metric)
        .reduce((total, [, key]) => total + last(metric, key), 0);
    expect([sum('approvals'), sum('defaults')]).toEqual([6, 6]);
    expect([last('loans', 'repaid'), last('loans', 'defaulted')]).toEqual([6, 0]);
  });

  it('counts calls under a daily limit by the call, whichever action makes it', () => {
    const tally = new Tally();
    for (const code of ['daily_limit_exceeded', null] as const)
      tally.acted({ persona: 'odd' }, { action: 'nonsense', call: 'withdraw' }, { code, isOnChain: false });
    expect(tally.limits).toEqual({ 'withdraw/odd': { calls: 2, refused: 1 } });
    expect(tally.limitHits).toEqual({ 'withdraw/odd': 1 });
  });

  it.each([
    ['7d', '210d', 7],
    ['20d', '60d', 2],
    ['120d', '240d', 8],
  ])('pays incomes from outside every 30 days, with ticks of %s', async (tick, span, paydays) => {
    const plan = await plannedStudy(
      `name: a\npopulation: { count: 4, spread: 0, personas: { idle: { like: saver, weight: 1, income: 300, does: {} } } }\nspan: ${span}\ntick: ${tick}\nmetrics: [balances]\n`,
    );
    const checking = seriesOf(await played(plan), 'balances', 'checking/USDC');
    // 500 each at first.
    expect(checking.get(0)).toBe(2_000);
    expect(checking.get(plan.ticks)).toBe(2_000 + 4 * paydays * 300);
  });
});
