import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import { Random, amountNear, membersOf, valueOf } from '../../../src/testing/fuzz-library.js';
import { amountOf, unitsOf } from '../../../src/testing/fuzz/amounts.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

describe('seeded random numbers', () => {
  it('repeat for the same seed and differ between adjacent seeds', () => {
    const falls = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.below(1_000));
    };
    expect(falls(7)).toEqual(falls(7));
    const firsts = Array.from({ length: 200 }, (_, seed) => falls(seed)[0] as number);
    // Seeds that stand beside each other do not give numbers that do.
    expect(new Set(firsts.map((first) => Math.floor(first / 100))).size).toBe(10);
  });

  it('follow weights and never pick weight 0', () => {
    const random = new Random(1);
    const picks = Array.from(
      { length: 1_000 },
      () => random.weighed([{ weight: 9 }, { weight: 1 }, { weight: 0 }]).weight,
    );
    expect(picks).not.toContain(0);
    expect(picks.filter((weight) => weight === 1).length).toBeGreaterThan(50);
  });
});

describe('drawn amounts', () => {
  it('convert from base units to numbers and back without loss', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.constantFrom('USDC' as const, 'SOL' as const),
        (units, token) => {
          expect(unitsOf(amountOf(units, token), token)).toBe(units);
        },
      ),
    );
  });

  it('include an edge, one base unit above it and one below', () => {
    const drawn = fc.sample(amountNear([1_000_000_000n], 'USDC'), { numRuns: 300, seed: 1 });
    for (const aim of [1_000, 1_000.000001, 999.999999, 500]) expect(drawn).toContain(aim);
    expect(drawn.every((amount) => amount > 0)).toBe(true);
  });
});

describe('values drawn from the contract', () => {
  it('cover every member of request bodies and queries', () => {
    const names = (schema: Parameters<typeof membersOf>[0]) => membersOf(schema).map(({ name }) => name);
    expect(names(TABLE.loanApply.body)).toEqual(['amount', 'purpose', 'duration', 'collateral']);
    expect(names(TABLE.x402Pay.body)).toContain('payment_request');
    expect(names(TABLE.transactions.query)).toEqual(['limit', 'offset', 'type', 'token']);
  });

  it('come from both sides of a bound', () => {
    const limit = membersOf(TABLE.transactions.query).find(({ name }) => name === 'limit');
    const drawn = fc.sample(valueOf(limit?.shape ?? {}), { numRuns: 300, seed: 1 });
    for (const edge of [0, 1, 100, 101]) expect(drawn).toContain(edge);
  });
});
