import type { Account } from '../../src/chain/engine.js';
import { LOOKUP_TABLE_PROGRAM, bytesOf } from '../../src/chain/solana/addresses.js';
import { rentExemptLamports } from '../../src/chain/solana/token-accounts.js';

/** A table account as the lookup table program writes it: last extended in a slot, from an address on; never deactivated by default. */
export function tableAccount(
  addresses: readonly string[],
  extended = { slot: 0, from: 0 },
  deactivatedAt?: number,
): Account {
  const data = new Uint8Array(56 + 32 * addresses.length);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true);
  view.setBigUint64(4, deactivatedAt === undefined ? 2n ** 64n - 1n : BigInt(deactivatedAt), true);
  view.setBigUint64(12, BigInt(extended.slot), true);
  data[20] = extended.from;
  for (const [at, one] of addresses.entries()) data.set(bytesOf(one), 56 + 32 * at);
  const lamports = rentExemptLamports(data.length);
  return { lamports, data, owner: LOOKUP_TABLE_PROGRAM, executable: false };
}
