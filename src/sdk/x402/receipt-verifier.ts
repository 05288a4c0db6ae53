import bs58 from 'bs58';
import { isInstant } from '../../core/domain/calendar.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import { TOKENS, parseAmount } from '../../core/domain/money.js';
import { type PaymentReceipt, canonicalReceipt } from '../../core/domain/payment-request.js';
import { isSignedBy } from '../../core/ed25519.js';
import { objectIn } from './headers.js';
import { type Checked, passed, refused } from './refusals.js';

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const isWallet: Check = (value) => typeof value === 'string' && isAddress(value);

const MEMBERS: Readonly<Record<keyof PaymentReceipt, Check>> = {
  version: (value) => value === '1',
  payment_id: isText,
  request_id: isTextOrNull,
  payer: isWallet,
  recipient: isWallet,
  pay_to: isWallet,
  amount: (value) => typeof value === 'number',
  token: (value) => TOKENS.some((token) => token === value),
  asset: isWallet,
  network: isText,
  tx_signature: isText,
  service_url: isTextOrNull,
  memo: isTextOrNull,
  issued_at: isInstant,
  issuer: isWallet,
  signature: isText,
};
const NAMES = Object.keys(MEMBERS) as (keyof PaymentReceipt)[];

/** Parses an X-Payment-Receipt header without verifying it; refuses `receipt_malformed`. */
export function decodeReceipt(header: string): Checked<PaymentReceipt> {
  const value = objectIn(header);
  if (value === null) return refused('receipt_malformed', { reason: 'not padded base64 of a JSON object' });
  const wrong = NAMES.find((name) => !Object.hasOwn(value, name) || !MEMBERS[name](value[name]));
  if (wrong !== undefined)
    return refused('receipt_malformed', { reason: `the member ${wrong} is missing or invalid` });
  if (Object.keys(value).length !== NAMES.length)
    return refused('receipt_malformed', { reason: 'it has unknown members' });
  const receipt = value as unknown as PaymentReceipt;
  const amount = parseAmount(receipt.amount, receipt.token);
  return amount.ok ? passed(receipt) : refused('receipt_malformed', { reason: 'the amount is not valid' });
}

/** Verifies offline that a bank issued a receipt and that it is unaltered. */
export class ReceiptVerifier {
  readonly issuer: string;
  readonly #publicKey: Uint8Array;

  /** `issuer` is the bank's ed25519 public key, base58: `receipt_issuer` of its discovery pages. Throws RangeError. */
  constructor(issuer: string) {
    if (!isAddress(issuer))
      throw new RangeError(`the issuer's key must be base58 of 32 bytes, not ${issuer}`);
    this.issuer = issuer;
    this.#publicKey = bs58.decode(issuer);
  }

  /** Parses and verifies the receipt in a header. Refuses `receipt_malformed`, `receipt_forged`, `receipt_altered`. */
  verify(header: string): Checked<PaymentReceipt> {
    const decoded = decodeReceipt(header);
    if (!decoded.ok) return decoded;
    const receipt = decoded.value;
    if (receipt.issuer !== this.issuer)
      return refused('receipt_forged', { issuer: receipt.issuer, expected: this.issuer });
    const text = Buffer.from(canonicalReceipt(receipt), 'utf8');
    const isTrue =
      isSignature(receipt.signature) && isSignedBy(this.#publicKey, text, bs58.decode(receipt.signature));
    return isTrue ? decoded : refused('receipt_altered', { payment_id: receipt.payment_id });
  }
}
