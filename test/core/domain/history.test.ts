import { expect, it } from 'vitest';
import { PUBLISHED_LIMITS } from '../../../src/core/domain/bank-limits.js';
import { historyTypes } from '../../../src/core/domain/history.js';

it.each([
  ['liquidation', { liquidationLtv: 0.9 }],
  ['late_fee', { lateFeeUsd: 25 }],
  ['late_fee', { lateFeeRate: 0.05 }],
  ['set_off', { setOffShare: 1 }],
] as const)('a history has records of the type %s where %j lets them occur', (type, limits) => {
  const published = historyTypes('all', PUBLISHED_LIMITS);
  expect(published).not.toContain(type);
  expect(historyTypes('all', { ...PUBLISHED_LIMITS, ...limits })).toEqual([...published, type]);
});
