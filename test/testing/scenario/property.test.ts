import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PropertyResult, ScenarioResult } from '../../../src/testing/scenario/results.js';
import { inProcessWith, played, playedScript, troubles } from './played.js';

const text = (property: string, more = '') => `name: whatever agents do\n${more}property: ${property}\n`;

const playing = (property: string, more = '') => played(text(property, more));

function propertyOf({ property }: ScenarioResult): PropertyResult {
  if (property === null) throw new Error('it is no property');
  return property;
}

/** A counterexample as the file that it is. */
interface Written {
  readonly name: string;
  readonly description: string;
  readonly world: Readonly<Record<string, unknown>>;
  readonly agents: Readonly<Record<string, unknown>>;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

function counterexampleOf(result: ScenarioResult): { text: string; written: Written } {
  const { counterexample } = propertyOf(result);
  if (counterexample === null) throw new Error(`there is no counterexample: ${result.reason}`);
  return { text: counterexample, written: parse(counterexample) as Written };
}

describe('property', () => {
  it('holds when its goals are reached, and counts them', async () => {
    const result = await playing(
      '{ agents: 2, runs: 6, steps: 12, operations: [withdraw, overdraw, wait], sometimes: [insufficient_balance, outflow.posted] }',
    );
    expect(troubles(result)).toEqual([]);
    const { steps, goals, ...rest } = propertyOf(result);
    expect({ ...rest, played: result.steps }).toMatchObject({ runs: 6, counterexample: null, played: [] });
    expect(steps).toBeGreaterThanOrEqual(6);
    expect(steps).toBeLessThanOrEqual(72);
    expect(Math.min(goals['insufficient_balance'] ?? 0, goals['outflow.posted'] ?? 0)).toBeGreaterThan(0);
  });

  it('plays the behaviours of its agents and no others', async () => {
    const result = await playing('{ agents: 2, runs: 8, steps: 20, behaviours: { payer: 1, attacker: 1 } }');
    expect(troubles(result)).toEqual([]);
    const { goals } = propertyOf(result);
    expect(Object.keys(goals)).toEqual(expect.arrayContaining(['invalid_amount', 'outflow.pending']));
    // None of these behaviours borrows against savings or takes a credit line.
    expect(goals).not.toHaveProperty('loan.applied');
    expect(goals).not.toHaveProperty('collateral.repay');
  });

  it('fails when goals are not reached, and names them', async () => {
    const result = await playing(
      '{ agents: 1, runs: 2, steps: 3, operations: [account], sometimes: [request, loan.approved, deposit] }',
    );
    expect(result).toMatchObject({
      verdict: 'failed',
      reason:
        'loan.approved, deposit were never reached in 2 runs of up to 3 steps, so the property proves little; add runs or steps, or change the behaviours',
      property: { goals: { deposit: 0, 'loan.approved': 0 }, counterexample: null },
    });
    const one = await playing(
      '{ agents: 1, runs: 1, steps: 1, operations: [account], sometimes: [deposit] }',
    );
    expect(one.reason).toMatch(/^deposit was never reached in 1 runs/);
  });
});

describe('failed property', () => {
  const NEVER = text(
    '{ agents: 2, runs: 40, steps: 20, operations: [account, loans, withdraw, deposit, replay, wait], never: [transaction_already_recorded] }',
    'world: { startTime: 2026-05-01T00:00:00Z, variants: { overview: B }, oracle: { usdc: 2% } }\n',
  );

  it('gives the shortest counterexample, as a file that fails at its last step', async () => {
    const result = await played(NEVER);
    expect(result).toMatchObject({
      verdict: 'failed',
      reason: 'transaction_already_recorded was reached, which `never` rules out',
    });
    const { text: file, written } = counterexampleOf(result);
    // A deposit, and the same again, as a deposit or as a payment.
    expect(written.steps).toHaveLength(2);
    const [first, again] = written.steps;
    const who = Object.keys(written.agents);
    expect(who).toHaveLength(1);
    expect(first).toMatchObject({ [`${who[0]}.deposit`]: { amount: 1 }, save: 's1' });
    expect(again).toMatchObject({ expect: { code: { not: 'transaction_already_recorded' } } });
    const [title = ''] = Object.keys(again ?? {});
    expect([`${who[0]}.deposit`, `${who[0]}.x402.receive`]).toContain(title);
    expect(again?.[title]).toMatchObject({ tx_signature: '${s1.deposit.tx_signature}' });
    expect(result.steps).toHaveLength(2);
    // The file describes itself.
    expect(written).toMatchObject({
      name: 'whatever agents do (counterexample)',
      description: 'transaction_already_recorded was reached, which `never` rules out',
      world: {
        seed: expect.stringMatching(/^1\/\d+$/) as string,
        startTime: '2026-05-01T00:00:00Z',
        variants: { overview: 'B' },
        oracle: { usdc: 0.02 },
      },
    });
    const replayed = await played(file);
    expect(replayed.steps.map(({ verdict }) => verdict)).toEqual(['passed', 'failed']);
    expect(replayed.steps[1]?.mismatches).toMatchObject([
      { path: 'code', actual: '"transaction_already_recorded"' },
    ]);
  });

  it('for an event has a counterexample that fails and shows the step', async () => {
    const result = await playing(
      '{ agents: 1, runs: 10, steps: 5, operations: [account, withdraw], never: [outflow.posted] }',
    );
    const reason = 'outflow.posted was reached, which `never` rules out';
    expect(result).toMatchObject({ verdict: 'failed', reason });
    expect(result.steps.at(-1)).toMatchObject({ verdict: 'failed', problem: reason });
    const { text: file, written } = counterexampleOf(result);
    expect(written.steps).toMatchObject([{ expect: { noEvents: ['outflow.posted'] } }]);
    expect((await played(file)).steps.at(-1)?.verdict).toBe('failed');
  });

  it('at its end has a counterexample with the same end', async () => {
    const result = await playing(
      '{ agents: 1, runs: 10, steps: 5, operations: [account, withdraw] }',
      'finally: { journal: { checking: { USDC: { atLeast: 1500 } } } }\n',
    );
    expect(result).toMatchObject({
      verdict: 'failed',
      reason: expect.stringMatching(/journal\.checking\.USDC/) as string,
    });
    const { text: file, written } = counterexampleOf(result);
    // The last step does not matter, so none is kept for it.
    expect(written.steps).toMatchObject([{ 'ann.withdraw': { amount: expect.any(Number) as number } }]);
    const again = await played(file);
    expect(again.steps.at(-1)).toMatchObject({ place: 'end', verdict: 'failed' });
  });

  it('for a stolen signature has a counterexample with both agents', async () => {
    const result = await playing(
      '{ agents: 2, runs: 40, steps: 20, operations: [deposit, steal], never: [transaction_already_recorded] }',
    );
    const { text: file, written } = counterexampleOf(result);
    expect(written.steps).toHaveLength(2);
    expect(Object.keys(written.agents)).toHaveLength(2);
    expect((await played(file)).steps.map(({ verdict }) => verdict)).toEqual(['passed', 'failed']);
  });

  it('has the same counterexample for the same seed', { tags: ['slow'] }, async () => {
    const short =
      '{ agents: 2, runs: 10, steps: 6, operations: [withdraw, account, overdraw], never: [insufficient_balance] }';
    const seeded = text(short.replace('runs', 'seed: 7, runs'));
    const [first, second] = [await played(seeded), await played(seeded)];
    expect(counterexampleOf(second)).toEqual(counterexampleOf(first));
    expect(propertyOf(second)).toEqual(propertyOf(first));
    expect(propertyOf(first).seed).toBe(7);
    // The world's seed decides where the property has none.
    const one = await played(text(short), { seed: 'a' });
    expect(counterexampleOf(one).written.world['seed']).toMatch(/^a\//);
    expect(propertyOf(await played(text(short), { seed: 'b' })).seed).not.toBe(propertyOf(one).seed);
  });

  it('for inconsistent books has a counterexample without an expectation', async () => {
    const target = inProcessWith(({ sim }) => ({
      invariants: async () =>
        sim.events
          .page({ after: 0, limit: 1_000 })
          .events.some(({ body }) => body.kind === 'entry' && body.entry.facts.kind === 'outflow.posted')
          ? [{ rule: 'solvency', text: 'something is missing' }]
          : [],
    }));
    const property = '{ agents: 1, runs: 20, steps: 10, operations: [account, withdraw] }';
    const result = await played(text(property), { target });
    expect(result).toMatchObject({ verdict: 'failed', reason: 'invariants.solvency: something is missing' });
    const { written } = counterexampleOf(result);
    expect(written.steps).toMatchObject([{ 'ann.withdraw': { amount: expect.any(Number) as number } }]);
    expect(written.steps[0]).not.toHaveProperty('expect');
  });
});

describe('property in TypeScript', () => {
  const check = (options: string, body: string) =>
    playedScript(
      `export default property('checked', ${options}, async ({ title, args, answer, balances }) => { ${body} });`,
    );

  // `scenarios/overview.scenario.ts` holds, with title, answer and balances.
  it('fails with the exception of its check and is shrunk', async () => {
    const result = await check(
      `{ agents: 2, runs: 20, steps: 15, operations: ['withdraw', 'account', 'deposit', 'wait'] }`,
      `if (typeof args === 'object' && balances.ann.checking.usdc < 1_500)
         throw new Error('ann has less than she had');`,
    );
    expect(result).toMatchObject({
      verdict: 'failed',
      reason: 'after ann.withdraw: ann has less than she had',
    });
    const { written } = counterexampleOf(result);
    expect(written.steps).toHaveLength(1);
    expect(written.steps[0]).toHaveProperty('ann.withdraw');
  });
});
