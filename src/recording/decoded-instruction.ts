import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../chain/addresses.js';
import type { WireInstruction, WireTransaction } from '../chain/wire.js';
import { tokenUnits } from '../core/domain/money.js';

/** An instruction of a transaction, as far as recordings decode it. */
export type DecodedInstruction =
  | { readonly kind: 'sol'; readonly from: string; readonly to: string; readonly lamports: bigint }
  | {
      readonly kind: 'token';
      readonly authority: string;
      readonly source: string;
      readonly target: string;
      readonly amountBase: bigint;
    }
  | { readonly kind: 'account'; readonly account: string; readonly owner: string; readonly mint: string }
  /** Compute unit prices and limits, which move nothing. */
  | { readonly kind: 'budget' }
  | { readonly kind: 'other'; readonly program: string };

const SYSTEM_TRANSFER = 2;
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;

/** Decodes an instruction all of whose accounts are known; null when its kind is not decoded. */
function decodeKnownInstruction(
  program: string,
  data: Uint8Array,
  key: (at: number) => string,
): Exclude<DecodedInstruction, { kind: 'other' }> | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === COMPUTE_BUDGET_PROGRAM) return { kind: 'budget' };
  if (program === SYSTEM_PROGRAM && data.length === 12 && view.getUint32(0, true) === SYSTEM_TRANSFER)
    return { kind: 'sol', from: key(0), to: key(1), lamports: view.getBigUint64(4, true) };
  if (program === TOKEN_PROGRAM && data.length >= 9) {
    const amountBase = view.getBigUint64(1, true);
    if (data[0] === TOKEN_TRANSFER)
      return { kind: 'token', source: key(0), target: key(1), authority: key(2), amountBase };
    if (data[0] === TOKEN_TRANSFER_CHECKED)
      return { kind: 'token', source: key(0), target: key(2), authority: key(3), amountBase };
  }
  if (program === ASSOCIATED_TOKEN_PROGRAM && (data[0] ?? 0) <= 1)
    return { kind: 'account', account: key(1), owner: key(2), mint: key(3) };
  return null;
}

function decodeInstruction(
  { programIdIndex, accounts, data }: WireInstruction,
  keys: readonly string[],
): DecodedInstruction {
  const program = keys[programIdIndex] as string;
  let isWhole = true;
  const key = (at: number): string => {
    const found = keys[accounts[at] ?? -1];
    // Missing, or in a lookup table.
    if (found === undefined) isWhole = false;
    return found ?? '';
  };
  const deed = decodeKnownInstruction(program, data, key);
  return deed !== null && isWhole ? deed : { kind: 'other', program };
}

/** Decodes the instructions of a transaction, one by one. */
export function decodeInstructions(wire: WireTransaction): DecodedInstruction[] {
  return wire.instructions.map((instruction) => decodeInstruction(instruction, wire.keys));
}

export function inWords(
  instructions: readonly DecodedInstruction[],
  nameOf: (address: string) => string,
): string[] {
  return instructions.flatMap((instruction) => {
    switch (instruction.kind) {
      case 'sol':
        return `${tokenUnits('SOL', instruction.lamports)} SOL from ${nameOf(instruction.from)} to ${nameOf(instruction.to)}`;
      case 'token':
        return `${instruction.amountBase} base units of a token from ${nameOf(instruction.source)} to ${nameOf(instruction.target)}`;
      case 'account':
        return `a token account for ${nameOf(instruction.owner)}`;
      case 'budget':
        return [];
      case 'other':
        return `a call of ${instruction.program}`;
    }
  });
}
