export { BankRefusal, bankAt, receiptIssuerOf } from './bank-at.js';
export type { FetchLike } from '../../core/fetch.js';
export { type PaywallEnv, honoPaywall } from './hono.js';
export { MemoryPaymentStore, type PaymentRecord, type PaymentStore } from './paying/payment-store.js';
export type { MaxAmount } from './paying/offer.js';
export { type PayingFetch, type PayingOptions, payingFetch } from './paying/paying-fetch.js';
export { PAYMENT_ERRORS, PaymentError, type PaymentErrorCode } from './paying/payment-error.js';
export type { Payer } from './paying/payment-executor.js';
export { MemoryStorage, type StoredPayments } from './memory-storage.js';
export { Paywall, type PaywallOptions, type Serve } from './paywall.js';
export type {
  AskedPayment,
  Collector,
  Payment,
  Maybe,
  PaywallClock,
  PaywallStorage,
  Price,
  PriceOf,
  RequestedPayment,
  Settled,
  StandardFacilitator,
  StandardPayment,
  StandardRequirements,
  Verified,
} from './ports.js';
export type { TtlMap } from '../../core/ttl-map.js';
export type { Snapshotable } from '../../core/snapshot.js';
export { ReceiptVerifier } from './receipt-verifier.js';
export { type Checked, PAYWALL_CODES, type PaywallCode, type PaywallRefusal } from './refusals.js';
export { facilitatorAt } from './standard/facilitator-at.js';
export type { Token } from '../../core/domain/money.js';
export {
  type PaymentReceipt,
  type PaymentRequest,
  encodeHeader as encodeReceipt,
} from '../../core/domain/payment-request.js';
