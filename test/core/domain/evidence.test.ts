import { describe, expect, it } from 'vitest';
import { type Claim, verifyClaim } from '../../../src/core/domain/evidence.js';
import type { ChainReceipt, LookUp } from '../../../src/core/domain/ports.js';
import { ok, refuse } from '../../../src/core/domain/result.js';
import { emptyState } from '../../../src/core/domain/state.js';
import { receiptOf } from '../../support/domain-books.js';

const state = emptyState({ creditInHistory: true });
const claim: Claim = { signature: 's', token: 'USDC', amountBase: 5n, ownWalletOnly: true };
const NOTHING = { USDC: 0n, SOL: 0n };
const receipt = receiptOf(5n);

function saying(found: ChainReceipt | null): LookUp {
  return () => (found === null ? refuse('transaction_not_found') : ok(found));
}

function verdict(found: ChainReceipt | null, asked: Claim = claim, books = state): string {
  const checked = verifyClaim(books, asked, saying(found));
  return checked.ok ? 'ok' : checked.refusal.code;
}

describe('payment claim', () => {
  it('is refused for the first failing check in the published order', () => {
    // Each step fixes the first failure of the one before it.
    const wrong = { ...claim, amountBase: 6n, token: 'SOL' as const };
    const books = { ...state, recorded: state.recorded.set('s', 1) };
    const broken = {
      ...receipt,
      confirmed: false,
      error: 'AccountInUse',
      received: NOTHING,
      paidByCaller: NOTHING,
    };
    const arrived = { ...broken, confirmed: true, error: null, received: receipt.received };
    const own = { ...arrived, paidByCaller: receipt.received };
    expect(verdict(broken, wrong, books)).toBe('transaction_already_recorded');
    for (const [code, found, asked] of [
      ['transaction_not_found', null, wrong],
      ['transaction_not_confirmed', broken, wrong],
      ['transaction_failed', { ...broken, confirmed: true }, wrong],
      ['transaction_not_to_bank', { ...broken, confirmed: true, error: null }, wrong],
      ['token_mismatch', arrived, wrong],
      ['sender_mismatch', arrived, { ...wrong, token: 'USDC' }],
      ['amount_mismatch', own, { ...wrong, token: 'USDC' }],
      ['ok', own, claim],
    ] as const)
      expect(verdict(found, asked)).toBe(code);
  });

  it('rejects a payment partly from another wallet where the own wallet must pay, and accepts it elsewhere', () => {
    const shared = { ...receipt, paidByCaller: { USDC: 4n, SOL: 0n } };
    expect([verdict(shared), verdict(shared, { ...claim, ownWalletOnly: false })]).toEqual([
      'sender_mismatch',
      'ok',
    ]);
  });

  it('infers a missing token from the transfer, and rejects a transfer of both tokens', () => {
    const any = { ...claim, token: null, amountBase: null, ownWalletOnly: false };
    expect(verdict(receipt, any)).toBe('ok');
    expect(verdict({ ...receipt, received: { USDC: 5n, SOL: 1n } }, any)).toBe('token_mismatch');
    expect(verdict({ ...receipt, received: { USDC: -5n, SOL: 0n } }, any)).toBe('transaction_not_to_bank');
  });
});
