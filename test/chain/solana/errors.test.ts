import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { bankrunError } from '../../../src/chain/engines/bankrun-errors.js';
import { NATIVE_BUILDS } from '../../../src/chain/engines/native.js';
import {
  INSTRUCTION_SENTENCES,
  TRANSACTION_SENTENCES,
  errorSentence,
} from '../../../src/chain/solana/errors.js';

const require = createRequire(import.meta.url);

/** The names of an enumeration of litesvm, in its order. */
function namesIn(enumeration: string): string[] {
  const declared = readFileSync(require.resolve('litesvm/dist/internal.d.ts'), 'utf8');
  const [, body = ''] = new RegExp(`enum ${enumeration} \\{([^}]*)\\}`).exec(declared) ?? [];
  return Array.from(body.matchAll(/(\w+) = \d+/g), ([, name = '']) => name);
}

/** The native code of the engines, which holds the words of their errors. */
function engineBinaries(): Buffer[] {
  const all = [NATIVE_BUILDS.bankrun.builds, NATIVE_BUILDS.litesvm.builds];
  return all.map((builds: Readonly<Record<string, readonly string[]>>) => {
    for (const name of builds[`${process.platform}-${process.arch}`] ?? [])
      try {
        return readFileSync(require.resolve(name));
      } catch {
        // The build for another C library.
      }
    throw new Error('an engine is not installed');
  });
}

describe('errors of transactions', () => {
  it('have the names of litesvm, in the order of its numbers', () => {
    expect(Object.keys(TRANSACTION_SENTENCES)).toEqual(namesIn('TransactionErrorFieldless'));
    expect(Object.keys(INSTRUCTION_SENTENCES)).toEqual(namesIn('InstructionErrorFieldless'));
  });

  it('have the messages of Agave, which are in the binaries of the engines', () => {
    const binaries = engineBinaries();
    const sentences = [TRANSACTION_SENTENCES, INSTRUCTION_SENTENCES].flatMap(Object.values<string>);
    const isMissing = (sentence: string) => !binaries.some((binary) => binary.includes(sentence));
    expect(sentences.filter((sentence) => sentence === '' || isMissing(sentence))).toEqual([]);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('read the same from the words of bankrun', () => {
    const errors = [
      ...Object.keys(TRANSACTION_SENTENCES),
      ...Object.keys(INSTRUCTION_SENTENCES).map((cause) => ({ InstructionError: [3, cause] })),
      { InstructionError: [0, { Custom: 6_000 }] },
      { InsufficientFundsForRent: { account_index: 2 } },
      { DuplicateInstruction: 1 },
    ];
    for (const error of errors) expect(bankrunError(errorSentence(error))).toEqual(error);
  });
});
