import bs58 from 'bs58';
import canonicalize from 'canonicalize';
import { isoOf } from '../domain/calendar.js';
import { uuid } from '../domain/ids.js';
import { amountOf } from '../domain/money.js';
import type { PaymentReceipt } from '../domain/payment-request.js';
import type { Outflow } from '../domain/state.js';
import type { BankAddresses } from './addresses.js';

/** The bytes that a receipt's signature covers: the RFC 8785 form of all members but the signature. */
export function signedBytes(receipt: Omit<PaymentReceipt, 'signature'>): Uint8Array {
  return Buffer.from(canonicalize(receipt) as string, 'utf8');
}

/** The bank's signed receipt for a settled x402 payment. */
export function issueReceipt(
  outflow: Outflow,
  signature: string,
  bank: { addresses: BankAddresses; salt: number; nowMs: number; network: string },
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
    network: bank.network,
    tx_signature: signature,
    service_url: terms.serviceUrl,
    memo: terms.memo,
    issued_at: isoOf(bank.nowMs),
    issuer: addresses.issuer.address,
  };
  return { ...receipt, signature: bs58.encode(addresses.issuer.sign(signedBytes(receipt))) };
}
