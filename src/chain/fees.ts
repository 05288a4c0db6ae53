import {
  BPF_LOADER,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  UPGRADEABLE_LOADER,
  VOTE_PROGRAM,
} from './solana/addresses.js';
import type { WireTransaction } from './solana/wire.js';

/** Solana's base fee. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;

// Programs whose instructions carry signatures of their own; the first byte of their data is the count.
const SIGNATURE_PROGRAMS = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
]);

const NATIVE_PROGRAMS = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  VOTE_PROGRAM,
  BPF_LOADER,
  UPGRADEABLE_LOADER,
]);

// Source: Agave's MAX_COMPUTE_UNIT_LIMIT and DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT.
const MAX_UNITS = 1_400_000n;
const DEFAULT_UNITS = 200_000n;
const MICRO = 1_000_000n;

/** The price that a transaction pays for a compute unit, in millionths of a lamport. */
export function unitPrice({ instructions, keys }: Pick<WireTransaction, 'instructions' | 'keys'>): bigint {
  for (const { programIdIndex, data } of instructions)
    if (keys[programIdIndex] === COMPUTE_BUDGET_PROGRAM && data[0] === 3 && data.length >= 9)
      return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
  return 0n;
}

/**
 * The fee of a transaction in lamports: 5,000 per signature, plus its price per compute unit for its limit. `nativeUnits` is the
 * allowance of native programs, which differs between runtimes.
 */
export function transactionFee(wire: WireTransaction, nativeUnits: number): bigint {
  let signatures = BigInt(wire.requiredSignatures);
  let limit: bigint | null = null;
  let allowance = 0n;
  for (const { programIdIndex, data } of wire.instructions) {
    const program = wire.keys[programIdIndex] ?? '';
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (SIGNATURE_PROGRAMS.has(program)) signatures += BigInt(data[0] ?? 0);
    if (program === COMPUTE_BUDGET_PROGRAM) {
      if (data[0] === 2 && data.length >= 5) limit = BigInt(view.getUint32(1, true));
      // Older runtimes give the compute budget program's own instructions no allowance.
      if (BigInt(nativeUnits) === DEFAULT_UNITS) continue;
    }
    allowance += NATIVE_PROGRAMS.has(program) ? BigInt(nativeUnits) : DEFAULT_UNITS;
  }
  const wanted = limit ?? allowance;
  const units = wanted < MAX_UNITS ? wanted : MAX_UNITS;
  return signatures * LAMPORTS_PER_SIGNATURE + (unitPrice(wire) * units + MICRO - 1n) / MICRO;
}
