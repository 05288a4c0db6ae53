export { BankRefusal, type FetchLike, bankAt, receiptIssuerOf } from './bank-at.js';
export { type PaywallEnv, honoPaywall } from './hono.js';
export { MemoryStorage } from './memory-storage.js';
export { Paywall, type PaywallOptions, type Serve } from './paywall.js';
export type {
  Arrival,
  AskedPayment,
  Collector,
  Payment,
  PaymentProof,
  PaywallClock,
  PaywallStorage,
  Price,
  PriceOf,
  RequestedPayment,
} from './ports.js';
export { ReceiptVerifier } from './receipt.js';
export { PAYWALL_CODES, type PaywallCode, type PaywallRefusal } from './refusals.js';
export { rpcProof } from './rpc-proof.js';
export type { PaymentReceipt, PaymentRequest } from '../domain/payment-request.js';
