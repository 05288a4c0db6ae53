import { z } from 'zod';

const amountThat = (isGiven: (value: unknown) => boolean) => (description: string) =>
  z.custom<unknown>(isGiven, 'is required').meta({
    type: 'number',
    description: `${description}. Token units; no finer than the token's smallest unit.`,
    example: 25,
  });

/** An amount in token units. Any JSON value passes the schema, so that the bank refuses a bad one as `invalid_amount`. */
export const amount = amountThat((value) => value !== undefined);

/** An amount that may be missing, or null, which is the same. */
export const optionalAmount = (description: string) =>
  amountThat((value) => value !== undefined && value !== null)(description).optional();

/** A token's name. The bank refuses others than USDC and SOL as `unsupported_token`. */
export const token = z.string().meta({ enum: ['USDC', 'SOL'], example: 'USDC' });

/** A Solana address. The bank refuses any other string as `invalid_wallet`. */
export const wallet = z.string().meta({
  description: 'Solana address, base58',
  example: 'B1aLAAe4vW8nSQCetXnYqJfRxzTjnbooczwkUJAr7yMS',
});

const TX_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** The signature of a Solana transaction. */
export const txSignature = z
  .string()
  .regex(TX_SIGNATURE, 'must be a Solana transaction signature in base58 (64 bytes)')
  .meta({ description: 'Signature of a Solana transaction, base58' });

/** A number in a query string; anything but a decimal number becomes NaN and is refused by the bank. */
export const queryNumber = (description: string) =>
  z
    .string()
    .transform((text) => (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : Number.NaN))
    .meta({ type: 'number', description });

/** A whole number in a query string. */
export const queryInteger = (bounds: { min: number; max: number; fallback: number; description: string }) => {
  const message = `must be a whole number from ${bounds.min} to ${bounds.max}`;
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

export const tokenName = z.enum(['USDC', 'SOL']);

export const balanceChange = z.object({ token: tokenName, previous: z.number(), current: z.number() });

export const usdcAndSol = z.object({ usdc: z.number(), sol: z.number() });

/** The body of every refusal. */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'A sentence for a person' }),
    code: z.string().meta({ description: 'A stable code for programs' }),
    details: z.record(z.string(), z.unknown()),
    requestId: z.string(),
  })
  .meta({ id: 'Error' });
