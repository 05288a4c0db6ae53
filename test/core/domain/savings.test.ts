import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAY } from '../../../src/core/domain/rates.js';
import {
  NO_SAVINGS,
  type SavingsPosition,
  accrueYield,
  addSavings,
  removeSavings,
  yieldAt,
  yieldShare,
} from '../../../src/core/domain/savings.js';

/** A yield index that has grown by ppm since RAY. */
function index(ppm: bigint): bigint {
  return (RAY * (1_000_000n + ppm)) / 1_000_000n;
}

function value(position: SavingsPosition, indexRay: bigint): bigint {
  return position.principalBase + yieldAt(position, indexRay);
}

describe('SavingsPosition', () => {
  it('earns the growth of the index, rounded down', () => {
    const position = addSavings(NO_SAVINGS, 500_000_000n, RAY);
    expect(yieldAt(position, index(4_160n))).toBe(2_080_000n);
    expect(yieldAt(addSavings(NO_SAVINGS, 1n, RAY), index(999_999n))).toBe(0n);
  });

  it('earns nothing on a deposit before it was made', () => {
    const grown = addSavings(addSavings(NO_SAVINGS, 100n, RAY), 900n, index(1_000_000n));
    expect(value(grown, index(1_000_000n))).toBe(1_100n);
    expect(value(grown, index(3_000_000n))).toBe(2_200n);
  });

  it('never holds or pays out more than exact accounting', () => {
    const move = fc.record({
      isDeposit: fc.boolean(),
      amount: fc.bigInt(1n, 5_000n),
      growPpm: fc.bigInt(0n, 50_000n),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let [position, indexRay] = [NO_SAVINGS, RAY];
        let [top, bottom] = [0n, 1n]; // the exact value, as a fraction
        for (const { isDeposit, amount, growPpm } of moves) {
          const next = (indexRay * (1_000_000n + growPpm)) / 1_000_000n;
          [top, bottom] = [top * next, bottom * indexRay];
          indexRay = next;
          if (isDeposit) {
            position = addSavings(position, amount, indexRay);
            top += amount * bottom;
          } else if (position.principalBase > 0n) {
            const part = amount < position.principalBase ? amount : position.principalBase;
            top -= (part + yieldShare(position, part, indexRay)) * bottom;
            position = removeSavings(position, part, indexRay);
          }
          expect(top >= 0n).toBe(true);
          expect(value(position, indexRay) * bottom <= top).toBe(true);
          expect(accrueYield(position, indexRay).valueRay * bottom <= top * RAY).toBe(true);
          expect(yieldAt(position, indexRay) >= 0n).toBe(true);
        }
      }),
    );
  });

  it('loses nothing when yield is booked repeatedly at the same index', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 10n ** 6n), (amount, ppm) => {
        const position = addSavings(NO_SAVINGS, amount, RAY);
        let booked = position;
        for (let round = 0; round < 5; round += 1) booked = accrueYield(booked, index(ppm));
        expect(value(booked, index(ppm))).toBe(value(position, index(ppm)));
        expect(booked.bookedYieldBase).toBe(yieldAt(position, index(ppm)));
      }),
    );
  });

  it('pays the same in many small withdrawals as in one', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 60n), fc.bigInt(0n, 3_000_000n), (principal, ppm) => {
        let position = addSavings(NO_SAVINGS, principal, RAY);
        const atOnce = principal + yieldShare(position, principal, index(ppm));
        let paid = 0n;
        while (position.principalBase > 0n) {
          paid += 1n + yieldShare(position, 1n, index(ppm));
          position = removeSavings(position, 1n, index(ppm));
        }
        expect(paid).toBe(atOnce);
        expect(position).toEqual({ ...NO_SAVINGS, indexRay: index(ppm) });
      }),
    );
  });

  it('leaves nothing that could earn yield after a full withdrawal', () => {
    const emptied = removeSavings(addSavings(NO_SAVINGS, 3n, RAY), 3n, index(123_457n));
    expect(emptied).toMatchObject({ principalBase: 0n, bookedYieldBase: 0n, valueRay: 0n });
    expect(yieldAt(emptied, index(10_000_000n))).toBe(0n);
    expect(yieldShare(emptied, 5n, RAY)).toBe(0n);
  });
});
