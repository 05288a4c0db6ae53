import { z } from 'zod';
import { wallet } from './common.js';

export const challengeBody = z.object({ wallet });
export const challengeResponse = z
  .object({ challenge: z.string(), expiresIn: z.int().meta({ description: 'Seconds' }) })
  .meta({ id: 'Challenge' });

export const verifyBody = z.object({
  wallet,
  signature: z
    .string()
    .max(200)
    .meta({ description: 'Base58 of the ed25519 signature over the UTF-8 bytes of the challenge' }),
  message: z.string().max(2_000).meta({ description: 'The challenge that was signed' }),
});
export const verifyResponse = z
  .object({ token: z.string(), expiresIn: z.int().meta({ description: 'Seconds' }), wallet: z.string() })
  .meta({ id: 'Token' });
