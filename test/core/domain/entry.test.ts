import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  ACCOUNT_NAMES,
  type Posting,
  credit,
  debit,
  draft,
} from '../../../src/core/domain/entry.js';
import { TOKENS } from '../../../src/core/domain/money.js';
import { forAll } from '../../support/for-all.js';

const facts = { kind: 'fees.paid', signature: 's' } as const;

const posting: fc.Arbitrary<Posting> = fc
  .tuple(
    fc.constantFrom(...ACCOUNT_NAMES),
    fc.constantFrom('a', 'b'),
    fc.constantFrom(...TOKENS),
    fc.bigInt(-(10n ** 18n), 10n ** 18n),
  )
  .map(([account, owner, token, amountBase]) => ({
    account,
    owner: ACCOUNTS[account].owned ? owner : null,
    token,
    amountBase,
  }));

/** The postings plus one for each token that brings its sum to zero. */
function balanced(postings: readonly Posting[]): Posting[] {
  const rest = TOKENS.map((token) =>
    credit(
      'capital',
      null,
      token,
      postings.reduce((sum, each) => sum + (each.token === token ? each.amountBase : 0n), 0n),
    ),
  );
  return [...postings, ...rest];
}

describe('journal entry', () => {
  it('accepts postings that sum to zero per token, and drops empty ones', () => {
    forAll(fc.array(posting, { maxLength: 12 }), (postings) => {
      const made = draft('a', facts, balanced(postings));
      expect(made.postings).toEqual(balanced(postings).filter(({ amountBase }) => amountBase !== 0n));
    });
  });

  it('rejects postings that are off by one to five base units', () => {
    const one = fc.bigInt(-5n, 5n).filter((delta) => delta !== 0n);
    forAll(fc.array(posting, { minLength: 1, maxLength: 12 }), one, fc.nat(), (postings, delta, at) => {
      const off = balanced(postings);
      const index = at % off.length;
      const wrong = off[index] as Posting;
      off[index] = { ...wrong, amountBase: wrong.amountBase + delta };
      expect(() => draft('a', facts, off)).toThrow('does not balance');
    });
  });

  it('rejects a debit of one token against a credit of another', () => {
    const crossed = [debit('treasury', null, 'USDC', 1n), credit('capital', null, 'SOL', 1n)];
    expect(() => draft(null, facts, crossed)).toThrow('does not balance');
  });

  it('requires an owner exactly for owned accounts', () => {
    for (const account of ACCOUNT_NAMES) {
      const owner = ACCOUNTS[account].owned ? null : 'a';
      expect(() => draft('a', facts, [debit(account, owner, 'USDC', 0n)]), account).toThrow('wrong owner');
    }
  });
});
