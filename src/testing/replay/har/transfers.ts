import { USDC_MINTS } from '../../../chain/genesis.js';
import {
  computeUnitLimit,
  createTokenAccount,
  transferLamports,
  transferTokens,
} from '../../../chain/tokens.js';
import { compileTemplate } from '../../../chain/wire.js';
import type { RecordedTransaction } from '../../../api/recorder/format.js';

const SIGNATURE_BYTES = 64;
const DECIMALS = 6;

/** A transfer between two wallets, in the notation of a recording. `number` distinguishes equal ones. */
export function transfer(wanted: {
  readonly from: string;
  readonly to: string;
  /** In token units. */
  readonly amount: number;
  readonly token: 'USDC' | 'SOL';
  readonly number: number;
}): RecordedTransaction {
  const { from, to, amount, token, number } = wanted;
  const mint = USDC_MINTS.mainnet;
  const amountBase = BigInt(Math.round(amount * 10 ** DECIMALS));
  const instructions = [
    computeUnitLimit(200_000 + number),
    ...(token === 'SOL'
      ? [transferLamports(from, to, BigInt(Math.round(amount * 1e9)))]
      : [
          createTokenAccount(from, to, mint),
          transferTokens(from, to, { mint, amountBase, decimals: DECIMALS }),
        ]),
  ];
  const { bytes, requiredSignatures, data } = compileTemplate(instructions, from);
  const whole = Uint8Array.from(bytes);
  for (const [at, place] of data.entries()) whole.set(instructions[at]?.data ?? [], place.at);
  const message = Buffer.from(whole.subarray(1 + requiredSignatures * SIGNATURE_BYTES));
  const does = [`${amount} ${token} from ${from} to ${to}`];
  return { message: message.toString('base64'), signed: ['right'], blockhash: 0, does };
}
