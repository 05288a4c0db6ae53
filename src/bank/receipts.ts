import bs58 from 'bs58';
import { isoOf } from '../core/domain/calendar.js';
import { uuid } from '../core/domain/ids.js';
import { amountOf } from '../core/domain/money.js';
import { type PaymentReceipt, canonicalReceipt } from '../core/domain/payment-request.js';
import type { Outflow } from '../core/domain/state.js';
import type { BankAddresses } from './addresses.js';

/** The bank's signed receipt for an x402 payment, dated at its submission. */
export function issueReceipt(
  outflow: Outflow,
  signature: string,
  bank: { addresses: BankAddresses; salt: number; nowMs: number },
): PaymentReceipt {
  const { addresses } = bank;
  const { terms } = outflow;
  const receipt = {
    version: '1' as const,
    payment_id: uuid(bank.salt, 'entry', outflow.id),
    request_id: terms.requestId,
    payer: outflow.wallet,
    recipient: terms.recipient,
    pay_to: terms.payTo,
    amount: amountOf(terms.token, terms.amountBase).toNumber(),
    token: terms.token,
    asset: addresses.assetOf(terms.token),
    network: addresses.caip2,
    tx_signature: signature,
    service_url: terms.serviceUrl,
    memo: terms.memo,
    issued_at: isoOf(bank.nowMs),
    issuer: addresses.issuer.address,
    signature: '',
  };
  receipt.signature = bs58.encode(addresses.issuer.sign(Buffer.from(canonicalReceipt(receipt), 'utf8')));
  return receipt;
}
