import { z } from 'zod';
import { MAX_AMOUNT } from '../core/domain/money.js';

/** The range of an amount, and examples that the service accepts. */
interface AmountBounds {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum: number;
  readonly examples: number[];
}

/** The bounds of any amount. */
export const AMOUNT: AmountBounds = { exclusiveMinimum: 0, maximum: MAX_AMOUNT, examples: [5] };

const amountThat =
  (isGiven: (value: unknown) => boolean) =>
  (description: string, bounds: AmountBounds = AMOUNT) =>
    z.custom<unknown>(isGiven, 'is required').meta({
      type: 'number',
      ...bounds,
      description: `${description}. Token units; no finer than the token's smallest unit.`,
    });

/** An amount in token units. Any JSON value passes the schema, so that the bank refuses a bad one as `invalid_amount`. */
export const amount = amountThat((value) => value !== undefined);

/** An optional amount; null counts as absent. */
export const optionalAmount = (description: string, bounds: AmountBounds = AMOUNT) =>
  amountThat((value) => value !== undefined && value !== null)(description, bounds).optional();

/** A token's name. The bank refuses others than USDC and SOL as `unsupported_token`. */
export const token = z.string().meta({ enum: ['USDC', 'SOL'], examples: ['USDC'] });

/** A Solana address. The bank refuses any other string as `invalid_wallet`. */
export const wallet = z.string().meta({
  description: 'Solana address, base58',
  examples: ['B1aLAAe4vW8nSQCetXnYqJfRxzTjnbooczwkUJAr7yMS'],
});

const TX_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** The signature of a Solana transaction. */
export const txSignature = z
  .string()
  .regex(TX_SIGNATURE, 'must be a Solana transaction signature in base58 (64 bytes)')
  .meta({ description: 'Signature of a Solana transaction, base58' });

/** An amount in a query string; anything but a decimal number becomes NaN and is refused by the bank. */
export const queryAmount = (description: string) =>
  z
    .string()
    .transform((text) => (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : Number.NaN))
    .meta({ type: 'number', ...AMOUNT, description });

/** The refusal of a whole number outside its range. */
export const wholeNumberFrom = (min: number, max: number) => `must be a whole number from ${min} to ${max}`;

/** A whole number in a query string. */
export const queryInteger = (bounds: { min: number; max: number; fallback: number; description: string }) => {
  const message = wholeNumberFrom(bounds.min, bounds.max);
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message)
    .default(bounds.fallback)
    .meta({
      type: 'integer',
      minimum: bounds.min,
      maximum: bounds.max,
      default: bounds.fallback,
      description: bounds.description,
    });
};

/** An instant in responses, in UTC. */
export const instant = z.iso.datetime();

/** A text with a maximum length, and examples that the service accepts. */
export const text = (max: number, description: string, example: string) =>
  z
    .string()
    .max(max)
    .meta({ description, examples: [example] });

/** The length of an Idempotency-Key in characters. */
export const MAX_KEY_LENGTH = 255;

export const tokenName = z.enum(['USDC', 'SOL']);

export const balanceChange = z.object({ token: tokenName, previous: z.number(), current: z.number() });

export const usdcAndSol = z.object({ usdc: z.number(), sol: z.number() });

/** The body of every refusal. */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'A sentence for people' }),
    code: z.string().meta({ description: 'A stable error code for programs' }),
    details: z.record(z.string(), z.unknown()),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });
