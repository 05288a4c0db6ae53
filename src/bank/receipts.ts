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
  const receipt = {
    version: '1' as const,
    payment_id: uuid(bank.salt, 'entry', outflow.id),
    request_id: outflow.requestId,
    payer: outflow.wallet,
    recipient: outflow.recipient,
    pay_to: outflow.payTo,
    amount: amountOf(outflow.token, outflow.amountBase).toNumber(),
    token: outflow.token,
    asset: addresses.assetOf(outflow.token),
    network: bank.network,
    tx_signature: signature,
    service_url: outflow.serviceUrl,
    memo: outflow.memo,
    issued_at: isoOf(bank.nowMs),
    issuer: addresses.issuer.address,
  };
  return { ...receipt, signature: bs58.encode(addresses.issuer.sign(signedBytes(receipt))) };
}
