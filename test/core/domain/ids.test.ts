import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdKind, loanId, repaymentId, uuid } from '../../../src/core/domain/ids.js';
import { forAll } from '../../support/for-all.js';

const KINDS: readonly IdKind[] = ['entry', 'payment', 'repayment', 'loan', 'token', 'paymentRequest'];

describe('generated ids', () => {
  it('are UUIDs of version 4 (RFC 9562) for any salt and number', () => {
    const salt = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    forAll(salt, fc.constantFrom(...KINDS), number, (world, kind, n) => {
      const id = uuid(world, kind, n);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(uuid(world, kind, n)).toBe(id);
    });
  });

  it('do not collide across kinds and adjacent salts', { tags: ['slow'] }, () => {
    const ids = new Set<string>();
    for (let n = 0; n < 5_000; n += 1) {
      for (const kind of KINDS) for (const salt of [0, 1, -1]) ids.add(uuid(salt, kind, n));
    }
    expect(ids.size).toBe(5_000 * KINDS.length * 3);
  });

  it('stay distinct beyond 2^32', () => {
    const ids = [0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 33].map((n) => uuid(3, 'entry', n));
    expect(new Set(ids).size).toBe(5);
  });

  it('have a prefix for loans and payments and stay distinct at 24 digits', () => {
    const made = Array.from({ length: 20_000 }, (_, n) => [loanId(5, n), repaymentId(5, n)]).flat();
    expect(made[0]).toMatch(/^loan_[0-9a-f]{24}$/);
    expect(made[1]).toMatch(/^payment_[0-9a-f]{24}$/);
    expect(new Set(made.map((id) => id.replace(/^\w+_/, ''))).size).toBe(40_000);
  });
});
