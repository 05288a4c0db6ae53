import type { TransactionError } from '../engine.js';
import { INSTRUCTION_SENTENCES, TRANSACTION_SENTENCES } from '../solana/errors.js';

const NAMES = { transaction: byName(TRANSACTION_SENTENCES), instruction: byName(INSTRUCTION_SENTENCES) };

/** Inverts a table of messages by name. */
function byName(sentences: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(sentences).map(([name, sentence]) => [sentence, name]));
}

/** Converts bankrun's error message to Solana's JSON error. An unknown message is passed through. */
export function bankrunError(sentence: string): TransactionError {
  const inInstruction = /^Error processing Instruction (\d+): (.*)$/s.exec(sentence);
  if (inInstruction !== null) {
    const [, index, cause = ''] = inInstruction;
    const custom = /^custom program error: 0x([0-9a-f]+)$/.exec(cause);
    if (custom !== null)
      return { InstructionError: [Number(index), { Custom: Number.parseInt(custom[1] as string, 16) }] };
    const borsh = /^Failed to serialize or deserialize account data: (.*)$/s.exec(cause);
    if (borsh !== null) return { InstructionError: [Number(index), { BorshIoError: borsh[1] }] };
    return { InstructionError: [Number(index), NAMES.instruction.get(cause) ?? cause] };
  }
  const rent = /^Transaction results in an account \((\d+)\) with insufficient funds for rent$/.exec(
    sentence,
  );
  if (rent !== null) return { InsufficientFundsForRent: { account_index: Number(rent[1]) } };
  const duplicate = /^Transaction contains a duplicate instruction \((\d+)\)/.exec(sentence);
  if (duplicate !== null) return { DuplicateInstruction: Number(duplicate[1]) };
  return NAMES.transaction.get(sentence) ?? sentence;
}
