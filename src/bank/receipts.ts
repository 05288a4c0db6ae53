import { base58 } from '../chain/base58.js';
import { isoOf } from '../domain/calendar.js';
import { uuid } from '../domain/ids.js';
import { amountOf } from '../domain/money.js';
import type { PaymentReceipt } from '../domain/payment-request.js';
import type { Outflow } from '../domain/state.js';
import type { BankAddresses } from './addresses.js';

/**
 * The bytes that a receipt's signature covers: the RFC 8785 form of all members but the signature. Of flat objects of strings,
 * numbers and null, JSON.stringify gives that form when the members stand in the order of their names.
 */
function signedBytes(receipt: PaymentReceipt): Uint8Array {
  const ordered: Record<Exclude<keyof PaymentReceipt, 'signature'>, unknown> = {
    amount: receipt.amount,
    asset: receipt.asset,
    issued_at: receipt.issued_at,
    issuer: receipt.issuer,
    memo: receipt.memo,
    network: receipt.network,
    pay_to: receipt.pay_to,
    payer: receipt.payer,
    payment_id: receipt.payment_id,
    recipient: receipt.recipient,
    request_id: receipt.request_id,
    service_url: receipt.service_url,
    token: receipt.token,
    tx_signature: receipt.tx_signature,
    version: receipt.version,
  };
  return Buffer.from(JSON.stringify(ordered), 'utf8');
}

/** The bank's signed receipt for an x402 payment, dated to the instant of its submission. */
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
    signature: '',
  };
  receipt.signature = base58(addresses.issuer.sign(signedBytes(receipt)));
  return receipt;
}
