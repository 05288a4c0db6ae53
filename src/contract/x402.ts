import { z } from 'zod';
import type { BankLimits } from '../core/domain/bank-limits.js';
import {
  amount,
  instant,
  optionalAmount,
  queryAmount,
  queryInteger,
  text,
  token,
  tokenName,
  txSignature,
  wallet,
} from './common.js';

const YEAR_SECONDS = 31_536_000;

const messageBase = {
  version: z.literal('1'),
  recipient: z.string(),
  pay_to: z.string(),
  amount: z.number(),
  token: tokenName,
  asset: z.string(),
  network: z.string(),
  issued_at: instant,
};

export const paymentReceipt = z
  .object({
    ...messageBase,
    payment_id: z.string(),
    request_id: z.string().nullable(),
    payer: z.string(),
    tx_signature: z.string(),
    service_url: z.string().nullable(),
    memo: z.string().nullable(),
    issuer: z.string(),
    signature: z.string(),
  })
  .meta({ id: 'X402PaymentReceipt' });

export const paymentRequest = z
  .object({
    ...messageBase,
    request_id: z.string(),
    description: z.string().nullable(),
    expires_at: instant,
  })
  .meta({ id: 'X402PaymentRequest' });

export const payBody = z.object({
  recipient: wallet,
  amount: amount('Amount and token to pay'),
  token,
  service_url: text(
    2_048,
    'URL of the paid resource; repeated in the receipt',
    'https://weather.example/report',
  ).optional(),
  memo: text(1_024, 'A note; repeated in the receipt', 'weather report').optional(),
  payment_request: z.string().max(8_192).optional().meta({
    description:
      'The X-Payment-Request header to pay; it binds the receipt to the request. An addition of the simulator.',
  }),
});
export const payResponse = z.object({
  success: z.literal(true),
  payment_id: z.string(),
  tx_signature: z.string(),
  receipt: paymentReceipt,
});

export const receiveBody = z.object({
  tx_signature: txSignature,
  expected_amount: optionalAmount('Expected amount and token'),
  expected_token: token.optional(),
});
export const receiveResponse = z.object({
  success: z.literal(true),
  payment_id: z.string(),
  verified: z.literal(true),
  amount: z.number(),
  token: tokenName,
  sender: z.string(),
});

/** The query for a payment request. */
export const requestQuery = ({ requestSeconds }: BankLimits) =>
  z.object({
    amount: queryAmount('Requested amount'),
    token: token.default('USDC').meta({ description: 'Token to receive' }),
    description: text(1_024, 'Purpose of the payment', 'weather report').optional(),
    expires_in: queryInteger({
      min: 1,
      max: YEAR_SECONDS,
      fallback: requestSeconds,
      description: 'Seconds until it expires',
    }),
  });
export const requestResponse = z.object({
  payment_request: paymentRequest,
  headers: z.record(z.string(), z.string()),
});
