// @module-tag slow
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Variants } from '../../../src/core/domain/variants.js';
import {
  type AgentRule,
  type AgentUnderTest,
  type FuzzAgentOptions,
  type MishapName,
  fuzzAgent,
  replayAgent,
} from '../../../src/testing/fuzz-library.js';
import { GOOD_DAY, planOf } from '../../../src/testing/agent-fuzz/plan.js';
import { AgentWorld } from '../../../src/testing/drivers/agent-sandbox.js';
import { type Habits, carefulAgent, shopper } from './agents.js';

describe('fuzzing a careful agent', () => {
  it('finds no fault in 120 runs that inject every mishap', async () => {
    const result = await fuzzAgent(await carefulAgent(), { runs: 120, seed: 1, mustSucceed: true });
    expect(result.found?.text).toBeUndefined();
    expect(result).toMatchObject({ verdict: 'HELD', runs: 120, neverMet: [] });
    expect(result.orders.delivered).toBeGreaterThan(120);
  });

  it('finds no fault in an agent built on the paying fetch', async () => {
    expect((await fuzzAgent(shopper(), { runs: 75, seed: 2 })).found?.text).toBeUndefined();
  });
});

/** A bank that takes no notice of Idempotency-Keys. */
async function forgetful(open: typeof AgentWorld.open, variants: Partial<Variants>): Promise<AgentWorld> {
  const world = await open(variants);
  const honest = world.bank.bind(world);
  world.bank = (request, operation, fault) => {
    const headers = new Headers(request.headers);
    headers.delete('idempotency-key');
    return honest(new Request(request, { headers }), operation, fault);
  };
  return world;
}

describe('fuzzing against a bank that ignores Idempotency-Keys', () => {
  it('reports that the careful agent paid an order twice', async () => {
    const { open } = AgentWorld;
    const opening = vi.spyOn(AgentWorld, 'open').mockImplementation((variants) => forgetful(open, variants));
    onTestFinished(() => opening.mockRestore());
    const { found } = await fuzzAgent(await carefulAgent(), { runs: 100, shrinkAttempts: 100 });
    expect(found?.text).toContain('order-1: paid 1 USDC and 1 USDC');
  });
});

const textWith = (words: string) => expect.stringContaining(words) as string;

/** Any one of the mishaps is enough, where there are some. */
const CARELESS: readonly (readonly [keyof Habits, AgentRule, readonly MishapName[], seed: number])[] = [
  ['noKey', 'paid-twice', ['response-lost'], 1],
  ['anyRecipient', 'paid-stranger', ['wrong-recipient'], 1],
  ['anyPrice', 'paid-too-much', ['price-too-high'], 1],
  ['anyToken', 'paid-other-token', ['other-token'], 1],
  ['anyBudget', 'over-budget', [], 1],
  ['paysAgain', 'paid-twice', ['receipt-rejected', 'asked-again', 'price-raised'], 1],
  ['noPending', 'paid-twice', ['transaction-delayed'], 1],
  ['countsTries', 'lost-track-of-money', ['time-jump'], 10],
  ['neverTires', 'never-ends', [], 1],
  ['forgets', 'lost-track-of-orders', ['response-lost'], 7],
];

/** What the failure report of each says. */
const REPORTS: Readonly<Record<keyof Habits, RegExp>> = {
  noKey: /pays 1 USDC to .*without a key → no response[^]*order-1: paid 1 USDC and 1 USDC/,
  anyRecipient: /402 payment_required: 1 USDC to elsewhere[^]*another recipient: paid 1 USDC/,
  anyPrice: /order-1: costs 1 USDC, may cost at most 1[^]*order-1: paid 1.5 USDC/,
  anyToken: /pays 0.1 SOL to/,
  anyBudget: /No mishaps were planned\./,
  paysAgain: /under key 1 → 200[^]*a receipt for order-1 → 402[^]*under key 2 → 200/,
  noPending: /under key 1 → 500 chain_unavailable \(pending\)[^]*under key 2 → 200/,
  countsTries: /reports 1 USDC spent, but the books show 0 USDC[^]*400 payment_request_expired/,
  neverTires: /exceeded the maximum number of requests and waits[^]*times more[^]*is stopped/,
  forgets: /reports got \[\], unresolved \[\][^]*order-1: paid 1 USDC, not delivered/,
};

describe('fuzzing a careless agent', () => {
  it.each(CARELESS)('reports an agent with the habit %s as %s', async (habit, rule, mishaps, seed) => {
    const { verdict, runs, found } = await fuzzAgent(shopper({ [habit]: true }), { runs: 200, seed });
    expect({ verdict, found }).toMatchObject({ verdict: 'FAILED', found: { rule, repeats: true } });
    expect(runs).toBeLessThanOrEqual(200);
    const struck = found?.plan.mishaps.map(({ what }) => what) ?? [];
    expect(struck).toHaveLength(Math.min(1, mishaps.length));
    expect(mishaps).toEqual(expect.arrayContaining(struck));
    expect(found?.plan.orders).toHaveLength(1);
    expect(found?.story.length).toBeLessThanOrEqual(20);
    expect(found?.text).toMatch(REPORTS[habit]);
  });

  it('reports an agent that does nothing, without any mishap', async () => {
    const { found } = await fuzzAgent(() => undefined);
    expect(found).toMatchObject({ rule: 'gave-up', run: 0, mishaps: [] });
    expect(found?.plan.orders).toEqual([{ seller: 0, price: 1, maxPrice: 1 }]);
  });

  it('shrinks to nothing that breaks another rule', async () => {
    const idle: AgentUnderTest = (task) =>
      task.orders.length === 1 ? undefined : shopper({ noKey: true })(task);
    const { found } = await fuzzAgent(idle, { mishaps: ['response-lost'] });
    expect(found?.rule).toBe('paid-twice');
    expect(found?.plan.orders).toHaveLength(2);
  });

  it('loses the response to a withdrawal after all payments, and counts the calls it affected', async () => {
    const careful = await carefulAgent();
    const withdrawing: AgentUnderTest = async (task) => {
      const report = await careful(task);
      const before = await task.client.account();
      const once = () => task.client.withdraw({ amount: 1, token: 'USDC', destination: task.wallet.address });
      if (before.checking.usdc < 1) return report;
      await once().catch(once);
      return { ...report, balance: (report?.balance ?? 0) - 1 };
    };
    const { found, operations } = await fuzzAgent(withdrawing, { runs: 200, seed: 2 });
    expect(found).toMatchObject({
      rule: 'lost-track-of-money',
      text: textWith('payment or withdrawal: the response is lost'),
    });
    expect(operations['withdraw']?.affected).toBeGreaterThan(0);
  });

  it('plays no more plans than it may', async () => {
    let played = 0;
    const counting: AgentUnderTest = (task) => {
      played += 1;
      return shopper({ noKey: true })(task);
    };
    const { runs, orders } = await fuzzAgent(counting, { shrinkAttempts: 3 });
    // The broken run is repeated and shrunk, and the smallest one is repeated.
    expect(played).toBe(runs + 1 + 3 + 1);
    expect(orders.wanted).toBeLessThanOrEqual(3 * runs);
  });

  it('ends when onProgress returns false, and with what it throws', async () => {
    const endless = { runs: Number.POSITIVE_INFINITY, onProgress: (runs: number) => runs < 3 };
    expect(await fuzzAgent(shopper(), endless)).toMatchObject({ verdict: 'HELD', runs: 3 });
    const told: number[] = [];
    const onProgress = (runs: number) => {
      told.push(runs);
      if (runs === 2) throw new Error('enough');
    };
    await expect(fuzzAgent(shopper(), { onProgress })).rejects.toThrow('enough');
    expect(told).toEqual([1, 2]);
  });

  it('takes null for what is not given, no attempts to shrink and fractions of milliseconds', async () => {
    const none = { seed: null, maxCalls: null, mishaps: null, onProgress: null, shrinkAttempts: 0 };
    const given = { ...none, runs: 2, timeoutMs: 9999.5 } as unknown as FuzzAgentOptions;
    expect(await fuzzAgent(shopper(), given)).toMatchObject({ verdict: 'HELD', runs: 2 });
  });

  it('reports an agent that gives up on a transient failure only when it must succeed', async () => {
    const hasty: AgentUnderTest = async (task) => {
      const once = await task.fetch(task.orders[0]?.url ?? '');
      if (once.status !== 402) throw new Error('the service is down');
      return shopper()(task);
    };
    const options = { mishaps: ['service-error'], runs: 50 } as const;
    expect((await fuzzAgent(hasty, options)).verdict).toBe('HELD');
    const { found } = await fuzzAgent(hasty, { ...options, mustSucceed: true });
    expect(found).toMatchObject({ rule: 'gave-up', text: textWith('gives up: Error: the service is down') });
  });

  it.each<readonly [string, AgentUnderTest, string, number]>([
    ['never ends and makes no calls', () => new Promise<void>(() => undefined), 'real-time limit', 20],
    ['waits longer than a run may', ({ sleep }) => sleep(8 * 86_400_000), 'simulated waiting time', 10_000],
  ])('stops an agent that %s', async (_what, agent, words, timeoutMs) => {
    const { found } = await fuzzAgent(agent, { timeoutMs });
    expect(found).toMatchObject({ rule: 'never-ends', text: textWith(words) });
  });

  it('reports a double payment although the agent throws afterwards', async () => {
    const hiding: AgentUnderTest = async (task) => {
      await shopper({ noKey: true })(task);
      throw new Error('it was not me');
    };
    const { found } = await fuzzAgent(hiding, { mishaps: ['response-lost'] });
    expect(found).toMatchObject({ rule: 'paid-twice', text: textWith('gives up: Error: it was not me') });
    expect(found?.text).toContain('This bank accepts a payment request more than once.');
  });

  it('that pays again after a lost answer is not caught where the bank lets a request be paid once', async () => {
    const once = { variants: { paymentRequests: 'once' }, mishaps: ['response-lost'], runs: 60 } as const;
    const { found } = await fuzzAgent(shopper({ noKey: true }), once);
    expect(found?.rule).not.toBe('paid-twice');
    if (found !== null) expect((await replayAgent(shopper({ noKey: true }), found)).rule).toBe(found.rule);
  });

  it('rejects wrong options, agents and reports by name', async () => {
    const wrong: (readonly [object, string])[] = [
      [{ mishaps: ['earthquake'] }, 'unknown mishap earthquake'],
      [{ mishaps: {} }, 'mishaps: cannot be {}'],
      [{ mustSuceed: true }, 'mustSuceed: there is no such option; did you mean mustSucceed?'],
      ...[0, -1, Number.NaN, 1.5, '3'].map(
        (runs) => [{ runs }, 'It must be 1 or more. The default is 200'] as const,
      ),
      [{ mustSucceed: 1 }, 'mustSucceed: cannot be 1. The default is false'],
    ];
    for (const [options, says] of wrong) expect(() => fuzzAgent(shopper(), options), says).toThrow(says);
    const reporting = (report: unknown) =>
      fuzzAgent((task) => Promise.resolve(shopper()(task)).then(() => report as object));
    await expect(reporting({ spnt: 5 })).rejects.toThrow("spnt: is not a member of the agent's report; did");
    await expect(reporting('done')).rejects.toThrow("the agent's report must be an object with spent,");
    await expect(fuzzAgent(undefined as never)).rejects.toThrow('the agent is not a function');
  });

  it('counts a mishap past the ends of earlier ones where they use up calls', () => {
    const nthAfter = (at: 'pay' | 'ask' | 'start', order: number | null) => {
      const second = { what: 'response-lost', at, order, nth: 1, times: 1, size: 0 } as const;
      const first = { ...second, order: order && 2, nth: 3 };
      return planOf({ ...GOOD_DAY, mishaps: [first, second] }).mishaps[1]?.nth;
    };
    expect([nthAfter('pay', null), nthAfter('ask', 3), nthAfter('start', null)]).toEqual([4, 4, 1]);
  });
});

describe('agent finding', () => {
  it('is equal for the same seed', async () => {
    const agent = shopper({ noKey: true });
    const [first, second] = [await fuzzAgent(agent, { seed: 7 }), await fuzzAgent(agent, { seed: 7 })];
    expect({ ...first, seconds: 0 }).toEqual({ ...second, seconds: 0 });
  });

  it('survives JSON, fails again in replay and passes with the repaired agent', async () => {
    const { found } = await fuzzAgent(shopper({ noKey: true }));
    const kept = JSON.parse(JSON.stringify(found)) as object;
    expect(kept).toEqual(found);
    const failed = { verdict: 'FAILED', rule: 'paid-twice', text: found?.text };
    expect(await replayAgent(shopper({ noKey: true }), kept)).toEqual(failed);
    expect(await replayAgent(shopper(), kept)).toEqual({ verdict: 'FIXED', rule: null, text: '' });
  });

  it('is rejected in another format', async () => {
    const other = { format: 'something else' };
    await expect(replayAgent(shopper(), other)).rejects.toThrow('not a finding of fuzzAgent');
  });

  it('reports that the agent does not repeat its behaviour', async () => {
    let times = 0;
    const moody: AgentUnderTest = async (task) => {
      times += 1;
      return shopper(times % 2 === 0 ? { noKey: true } : {})(task);
    };
    const { found } = await fuzzAgent(moody, { mishaps: ['response-lost'], runs: 40 });
    expect(found).toMatchObject({ rule: 'paid-twice', repeats: false });
  });

  it('reports that the shrunk plan does not repeat', async () => {
    let played = 0;
    const tiring: AgentUnderTest = (task) => {
      played += 1;
      // Does nothing in the first run, its repetition and the one attempt of shrinking.
      return played <= 3 ? undefined : shopper()(task);
    };
    const { found } = await fuzzAgent(tiring, { shrinkAttempts: 1 });
    expect(found).toMatchObject({ rule: 'gave-up', repeats: false });
  });
});
