import { z } from 'zod';
import { encodeHeader } from '../../core/domain/payment-request.js';
import { get } from './command.js';
import { verifyPayment } from './payment-checks.js';
import { RangeProblem } from './problems.js';

/** Longer headers are refused: a receipt has some 900 characters, a signed transaction some 2,500. */
const MAX_HEADER_CHARACTERS = 8_192;

export const PAYMENTS = {
  receipt: get('/x402/receipts/{id}', {
    summary:
      'Get the receipt of a payment and its header, by the number of the entry that reserved the payment',
    run: (world, { id }) => {
      const receipt = /^\d{1,15}$/.test(id) ? world.bank.reservations.receiptOf(Number(id)) : null;
      if (receipt !== null) return { receipt, header: encodeHeader(receipt) };
      throw new RangeProblem(404, 'receipt_not_found', `Entry ${id} is not a successful payment.`);
    },
  }),
  verifyPayment: get('/x402/verification', {
    summary:
      'Verify a receipt, a payment request, or a payment of standard x402 (version 1 or 2), field by field',
    query: z.strictObject({
      header: z
        .string()
        .min(1)
        .max(MAX_HEADER_CHARACTERS)
        .describe('the value of the header, or its decoded JSON'),
    }),
    // In a query an unescaped plus sign is a space.
    run: (world, { query: { header } }) =>
      verifyPayment(header.trim().startsWith('{') ? header : header.replaceAll(' ', '+'), world),
  }),
};
