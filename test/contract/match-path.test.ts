import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.js';
import { filledPath, operationAt, routeOf } from '../../src/contract/match-path.js';
import { DEFAULT_VARIANTS } from '../../src/core/domain/variants.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

describe('paths of the contract', () => {
  it('are filled with an id verbatim, including one with replacement patterns', () => {
    expect(filledPath('/agent/loans/{id}/repay', '$&')).toBe('/agent/loans/$&/repay');
    expect(filledPath('/agent/loans', undefined, { limit: '2', type: 'a b' })).toBe(
      '/agent/loans?limit=2&type=a+b',
    );
    expect(routeOf('/agent/loans/{id}')).toBe('/agent/loans/:id');
  });

  it('resolve to their operation and id', () => {
    for (const [operation, { method, path }] of Object.entries(TABLE)) {
      const id = path.includes('{id}') ? 'loan%5F1' : null;
      expect(operationAt(TABLE, method, filledPath(path, id ?? ''))).toEqual({ operation, id });
    }
  });

  it('resolve to null for another method, no id, or extra segments', () => {
    for (const path of ['/agent/loans/', '/agent/loans/a/b', '/agent/loans//repay', '/agent', ''])
      expect(operationAt(TABLE, 'GET', path), path).toBeNull();
    expect(operationAt(TABLE, 'GET', '/agent/auth/verify')).toBeNull();
  });
});
