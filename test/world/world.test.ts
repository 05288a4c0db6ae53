import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RAY } from '../../src/core/domain/rates.js';
import { parseDuration } from '../../src/core/domain/calendar.js';
import { Clock } from '../../src/world/clock.js';
import { fixedFeed, seriesFeed, walkFeed } from '../../src/world/feed.js';
import { KeyRing } from '../../src/world/keys.js';
import { Oracle } from '../../src/world/oracle.js';
import { parseReviewPolicy, reviewTiming } from '../../src/world/reviewer.js';
import { parseSeriesCsv } from '../../src/world/series-csv.js';
import { createSimulator } from '../../src/simulator/simulator.js';
import { agentWith, world } from '../support/world.js';

const START = Date.UTC(2026, 0, 1);
const YEAR = 31_536_000_000;

describe('clock modes', () => {
  function clock(mode: ConstructorParameters<typeof Clock>[0]['mode']) {
    const wall = { ms: 5_000 };
    return { wall, clock: new Clock({ wall: () => wall.ms, mode, startMs: START }) };
  }

  it('freeze, follow wall time, or scale it', () => {
    const [frozen, real, scaled] = [
      clock({ kind: 'frozen' }),
      clock({ kind: 'real' }),
      clock({ kind: 'scaled', factor: 60 }),
    ];
    for (const { wall } of [frozen, real, scaled]) wall.ms += 1_000;
    expect([frozen, real, scaled].map((one) => one.clock.nowMs() - START)).toEqual([0, 1_000, 60_000]);
  });

  it('never run backwards, also by a jump', () => {
    const { wall, clock: real } = clock({ kind: 'real' });
    wall.ms += 1_000;
    expect(real.nowMs()).toBe(START + 1_000);
    wall.ms -= 900;
    expect(real.nowMs()).toBe(START + 1_000);
    real.jumpTo(START);
    expect(real.nowMs()).toBe(START + 1_000);
  });

  it('keep the instant when switched and when a snapshot is restored', () => {
    const { wall, clock: one } = clock({ kind: 'real' });
    wall.ms += 500;
    one.setMode({ kind: 'frozen' });
    wall.ms += 500;
    expect(one.nowMs()).toBe(START + 500);
    const snapshot = one.snapshot();
    one.setMode({ kind: 'scaled', factor: 2 });
    wall.ms += 500;
    expect(one.nowMs()).toBe(START + 1_500);
    one.restore(snapshot);
    wall.ms += 500;
    expect([one.nowMs(), one.isFrozen()]).toEqual([START + 500, true]);
  });
});

describe('durations', () => {
  it('parse in short and ISO 8601 form only', () => {
    const good = {
      '90s': 90_000,
      '1h30m': 5_400_000,
      '30d': 2_592_000_000,
      P1DT2H: 93_600_000,
      'PT0.5S': 500,
      '2w': 1_209_600_000,
    };
    for (const [text, ms] of Object.entries(good)) expect(parseDuration(text), text).toBe(ms);
    for (const text of ['', '5', 'd', '1 d', 'P', 'PT', 'P1M', '-1d', '1h-2m'])
      expect(parseDuration(text), text).toBeNull();
  });
});

describe('feeds', () => {
  it('hold each value of a series until the next point, and report the next change', () => {
    const feed = seriesFeed([
      { atMs: 200, value: 2n },
      { atMs: 100, value: 1n },
    ]);
    expect([50, 100, 199, 200, 999].map((at) => feed.at(at))).toEqual([1n, 1n, 1n, 2n, 2n]);
    expect([50, 100, 200].map((at) => feed.nextChangeAfter(at))).toEqual([100, 200, null]);
  });

  it('repeat a walk for the same seed, within its bounds', () => {
    const walk = { startMs: 0, start: 100n, everyMs: 10, stepPpm: 200_000, min: 50n, max: 200n };
    const [a, b, c] = ['x', 'x', 'y'].map((seed) => walkFeed({ ...walk, seed }));
    const values = (feed = a) => Array.from({ length: 500 }, (_, at) => feed?.at(at * 10));
    expect(b?.at(4_990)).toBe(values(a).at(-1));
    expect(values(a)).toEqual(values(b));
    expect(values(a)).not.toEqual(values(c));
    for (const value of values()) expect((value ?? 0n) >= 50n && (value ?? 0n) <= 200n).toBe(true);
  });

  it('report the line of an error in a series CSV', () => {
    const csv = (body: string) => () => parseSeriesCsv(`time,usdc_apy\n${body}`);
    expect(csv('2026-01-01T00:00:00Z,0.01')()).toEqual({ usdc_apy: [{ atMs: START, value: 10_000n }] });
    expect(csv('2026-01-01T00:00:00Z,0.01\nsoon,0.02')).toThrow('line 3: "soon"');
    expect(csv('2026-01-01T00:00:00Z,much')).toThrow('line 2: "much"');
    expect(csv('2026-01-01T00:00:00Z')).toThrow('line 2: 1 cells, 2 columns');
    expect(() => parseSeriesCsv('when,what\n')).toThrow('line 1');
  });
});

describe('oracle', () => {
  const prices = { USDC: fixedFeed(100_000_000n), SOL: fixedFeed(15_000_000_000n) };

  it('compounds over the changes of a series, however far the jump', () => {
    const apy = seriesFeed([
      { atMs: START, value: 50_000n },
      { atMs: START + YEAR, value: 100_000n },
    ]);
    const oracle = () => new Oracle({ apy: { USDC: apy, SOL: fixedFeed(0n) }, price: prices }, START);
    expect(oracle().yieldIndex('USDC', START + 2 * YEAR)).toBe((RAY * 1_155_000n) / 1_000_000n);
    const slow = oracle();
    for (let month = 0; month <= 24; month += 1)
      slow.yieldIndex('USDC', START + Math.floor((month * YEAR) / 12));
    expect(slow.yieldIndex('USDC', START + 2 * YEAR)).toBe((RAY * 1_155_000n) / 1_000_000n);
    expect(slow.yieldIndex('SOL', START + 2 * YEAR)).toBe(RAY);
  });

  it('follows a new rate from an instant, until a snapshot is restored', () => {
    const oracle = new Oracle(
      { apy: { USDC: fixedFeed(50_000n), SOL: fixedFeed(0n) }, price: prices },
      START,
    );
    const snapshot = oracle.snapshot();
    oracle.follow('apy', 'USDC', fixedFeed(0n), { fromMs: START + YEAR, nowMs: START });
    expect(oracle.yieldIndex('USDC', START + 5 * YEAR)).toBe((RAY * 105n) / 100n);
    oracle.restore(snapshot);
    expect(oracle.yieldIndex('USDC', START + 2 * YEAR)).toBe((RAY * 11_025n) / 10_000n);
  });

  it('plays the series of a CSV through a world and reports each change', async () => {
    const csv = readFileSync(new URL('../../fixtures/rates-2026.csv', import.meta.url), 'utf8');
    const sim = await world({ oracle: { csv } });
    const agent = await agentWith(sim, 0, { usdc: 1_000 });
    await agent.depositSavings({ amount: 1_000, token: 'USDC' });
    const fired = await sim.advance({ to: '2026-03-10T00:00:00Z' });
    expect(fired.filter(({ kind }) => kind === 'yield.changed')).toHaveLength(10);
    expect([sim.oracle.apy('USDC'), sim.oracle.price('SOL')]).toEqual([0.052, 121]);
    expect((await agent.account()).apy.usdc).toBe(0.052);
    expect(await sim.invariants()).toEqual([]);
  });

  it('answers oracle_unavailable in an outage while savings keep earning', async () => {
    const sim = await world();
    const agent = await agentWith(sim, 0, { usdc: 1_000 });
    await agent.depositSavings({ amount: 500, token: 'USDC' });
    sim.oracle.setOutage(true);
    await expect(agent.yieldRates()).rejects.toMatchObject({ code: 'oracle_unavailable', status: 500 });
    await expect(agent.withdraw({ amount: 1, token: 'USDC' })).rejects.toMatchObject({
      code: 'oracle_unavailable',
    });
    await sim.advance('365d');
    expect((await agent.account()).yield_earned.usdc).toBe(8.5);
    sim.oracle.setOutage(false);
    expect((await agent.yieldRates()).rates[0]).toEqual({ token: 'USDC', apy: '1.7%', apyDecimal: 0.017 });
  });
});

describe('keys', () => {
  it('match those that Solana wallets derive from the same secret', () => {
    const key = new KeyRing('seed').derive('wallet/0');
    const pair = nacl.sign.keyPair.fromSecretKey(bs58.decode(key.secretKey));
    expect(bs58.encode(pair.publicKey)).toBe(key.address);
    const message = Buffer.from('hello');
    expect(Buffer.from(key.sign(message))).toEqual(Buffer.from(nacl.sign.detached(message, pair.secretKey)));
    expect(new KeyRing('other').derive('wallet/0').address).not.toBe(key.address);
  });
});

describe('review policies', () => {
  it('parse as manual, auto or a delay', () => {
    expect(reviewTiming(parseReviewPolicy('delay:2h'), 5)).toEqual({ kind: 'at', atMs: 7_200_005 });
    expect(reviewTiming(parseReviewPolicy('auto'), 5)).toEqual({ kind: 'at-once' });
    for (const text of ['', 'later', 'delay:', 'delay:x'])
      expect(() => parseReviewPolicy(text)).toThrow('delay:2h');
  });
});

describe('running time', () => {
  it('runs due events before the next call', async () => {
    const sim = await world({ variants: { withdrawals: 'queued' }, withdrawalDelay: '1s' });
    const agent = sim.agent(0);
    await agent.fund(10, 'USDC');
    const { withdrawal } = await agent.withdraw({ amount: 1, token: 'USDC' });
    sim.setTime({ kind: 'scaled', factor: 1_000_000 });
    const waitedMs = sim.now().getTime() + 2_000;
    while (sim.now().getTime() < waitedMs);
    sim.setTime('frozen');
    expect(() => sim.setTime('slow')).toThrow('60x');
    const { transactions } = await agent.transactions({ type: 'withdraw' });
    expect(transactions).toMatchObject([{ id: withdrawal.id, status: 'completed' }]);
  });

  it('rejects invalid options and names them', async () => {
    for (const [options, text] of [
      [{ time: '0x' }, 'time'],
      [{ seed: 1.5 }, 'seed'],
      [{ oracle: { csv: 'x' } }, 'oracle.csv: line 1'],
      [{ variants: { errorStatus: { not_found: 418 } } }, 'variants.errorStatus.not_found'],
      [{ withdrawalDelay: 'soon' }, 'withdrawalDelay'],
    ] as const) {
      await expect(createSimulator(options as never)).rejects.toThrow(text);
    }
  });
});

describe('values that would break a world', () => {
  it('are rejected when they are set', async () => {
    const sim = await world();
    for (const apy of [-0.01, Number.NaN, Infinity, 1e30]) {
      expect(() => sim.oracle.setApy('USDC', apy)).toThrow(RangeError);
      expect(() => sim.oracle.setPrice('SOL', apy)).toThrow(RangeError);
    }
    await expect(sim.advance('300000y')).rejects.toThrow(RangeError);
    await expect(sim.advance({ to: 'never' })).rejects.toThrow('not an instant');
    expect((await sim.agent(0).signIn()).wallet).toBe(sim.wallets[0]?.address);
  });
});
