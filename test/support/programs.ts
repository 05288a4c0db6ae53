import type { Chain } from '../../src/chain/chain.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';

const ENTRY = 0x120;
const EXIT = 0x95;
const MOVE_TO_R0 = 0xb7;

/** A small program that fails with a custom error: the memo program with two other instructions at its entry point. */
export function failingProgram(code: number): Uint8Array {
  const program = Uint8Array.from(memoProgram());
  program.set([MOVE_TO_R0, 0, 0, 0, code, 0, 0, 0, EXIT, 0, 0, 0, 0, 0, 0, 0], ENTRY);
  return program;
}

/** The error of a program made by `failingProgram`. */
export const failsWith = (code: number) => ({ InstructionError: [0, { Custom: code }] });

/** A transaction that calls a program without accounts. */
export function callOf(
  program: string,
  payer: ReturnType<KeyRing['derive']>,
  { blockhash, note = 'a call' }: { readonly blockhash: string; readonly note?: string },
): Uint8Array {
  return buildTransaction([{ program, accounts: [], data: Buffer.from(note) }], [payer], blockhash);
}

/** A program's address, an account that it owns, and who pays for calls. */
export function programOf(seed: string) {
  const keys = new KeyRing(seed);
  const program = keys.derive('program').address;
  const pubkey = keys.derive('place').address;
  const account = (text: string) => ({
    pubkey,
    account: { lamports: 1, data: [text, 'base64'] as [string, string], owner: program, executable: false },
  });
  return { program, payer: keys.derive('payer'), place: pubkey, account };
}

/** Calls a program; its error, or null when it succeeds. No two calls on one blockhash may have the same note. */
export async function errorOfCall(
  chain: Pick<Chain, 'latestBlockhash' | 'submit'>,
  program: string,
  call: { readonly payer: ReturnType<KeyRing['derive']>; readonly note: string },
): Promise<unknown> {
  const { blockhash } = chain.latestBlockhash();
  const submission = await chain.submit(callOf(program, call.payer, { blockhash, note: call.note }));
  return submission.kind === 'refused' ? submission.error : submission.record.error;
}
