import { toJson } from '../core/exact-json.js';
import { parseInstruction } from '../api/rpc/parsed/instructions.js';
import type { WireTransaction } from '../chain/solana/wire.js';

/** An instruction in the parsed form of Solana nodes. */
export interface DecodedInstruction {
  readonly programId: string;
  /** Such as `transfer`; null when it is not parsed. */
  readonly type: string | null;
  readonly info: Readonly<Record<string, unknown>>;
}

/** Decodes the instructions of a transaction, one by one. */
export function decodeInstructions({ instructions, keys }: WireTransaction): DecodedInstruction[] {
  return instructions.map(({ programIdIndex, accounts, data }) => {
    const programId = keys[programIdIndex] as string;
    const known = accounts.flatMap((at) => keys[at] ?? []);
    // Accounts in lookup tables are not known.
    const isWhole = known.length === accounts.length;
    const decoded = isWhole ? parseInstruction({ programId, accounts: known, data }) : null;
    const { type = null, info = {} } = (decoded?.parsed ?? {}) as Partial<DecodedInstruction>;
    return { programId, type, info };
  });
}

/** Instructions as readable text, such as `transfer: source dev-0, destination wallet-1, lamports 5000`. */
export function inWords(
  instructions: readonly DecodedInstruction[],
  nameOf: (address: string) => string,
): string[] {
  return instructions.map(({ programId, type, info }) => {
    const parts = Object.entries(info).map(
      ([name, value]) => `${name} ${typeof value === 'string' ? nameOf(value) : toJson(value)}`,
    );
    return type === null ? `a call of ${programId}` : `${type}: ${parts.join(', ')}`;
  });
}
