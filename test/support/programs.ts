import type { Chain } from '../../src/chain/chain.js';
import { memoProgram } from '../../src/chain/programs/memo.js';
import {
  SYSTEM_PROGRAM,
  SYSVARS,
  UPGRADEABLE_LOADER,
  bytesOf,
  programDerivedAddress,
} from '../../src/chain/solana/addresses.js';
import { rentExemptLamports } from '../../src/chain/solana/token-accounts.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { processed } from '../../src/chain/submission.js';
import { accountJson } from '../../src/runtime/accounts/account-json.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { KeyRing } from '../../src/world/keys.js';

type KeyPair = ReturnType<KeyRing['derive']>;

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

/** A buffer account of the upgradeable loader that holds an executable. */
export function bufferWith(address: string, executable: Uint8Array, authority: KeyPair) {
  const data = Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), bytesOf(authority.address), executable]);
  const lamports = rentExemptLamports(data.length);
  return accountJson(address, { lamports, data, owner: UPGRADEABLE_LOADER, executable: false });
}

/** An account of an instruction. */
export const meta = (address: string, writable: boolean, signer = false) => ({ address, signer, writable });

/** The size of the loader's account of a program. */
const PROGRAM_BYTES = 36;

/** Deploys a program by a transaction, as `solana program deploy` does; only its buffer is written directly. */
export async function deployed(
  sim: Simulator,
  {
    program,
    payer,
    authority = payer,
  }: { readonly program: KeyPair; readonly payer: KeyPair; readonly authority?: KeyPair },
  executable: Uint8Array,
): Promise<void> {
  const buffer = new KeyRing('buffer').derive(program.address).address;
  await sim.accounts.set([bufferWith(buffer, executable, authority)]);
  const create = Buffer.alloc(52);
  create.writeBigUInt64LE(rentExemptLamports(PROGRAM_BYTES), 4);
  create.writeBigUInt64LE(BigInt(PROGRAM_BYTES), 12);
  create.set(bytesOf(UPGRADEABLE_LOADER), 20);
  const deploy = Buffer.alloc(12);
  deploy.writeUInt32LE(2);
  deploy.writeBigUInt64LE(BigInt(executable.length), 4);
  const instructions = [
    {
      program: SYSTEM_PROGRAM,
      accounts: [meta(payer.address, true, true), meta(program.address, true, true)],
      data: create,
    },
    {
      program: UPGRADEABLE_LOADER,
      accounts: [
        meta(payer.address, true, true),
        meta(programDerivedAddress([program.address], UPGRADEABLE_LOADER), true),
        meta(program.address, true),
        meta(buffer, true),
        meta(SYSVARS.rent, false),
        meta(SYSVARS.clock, false),
        meta(SYSTEM_PROGRAM, false),
        meta(authority.address, false, true),
      ],
      data: deploy,
    },
  ];
  const signers = [...new Set([payer, program, authority])];
  const { blockhash } = sim.chain.latestBlockhash();
  const { error } = processed(await sim.chain.submit(buildTransaction(instructions, signers, blockhash)));
  if (error !== null) throw new Error(JSON.stringify(error));
}

/** An address, and an account there that a program owns. */
export function placeOf(seed: string) {
  const keys = new KeyRing(seed);
  const pubkey = keys.derive('place').address;
  const owner = keys.derive('program').address;
  const account = (text: string) => ({
    pubkey,
    account: { lamports: 1, data: [text, 'base64'] as [string, string], owner, executable: false },
  });
  return { place: pubkey, account };
}

/** Calls a program; its error, or null when it succeeds. No two calls on one blockhash may have the same note. */
export async function errorOfCall(
  chain: Pick<Chain, 'latestBlockhash' | 'submit'>,
  program: string,
  call: { readonly payer: KeyPair; readonly note: string },
): Promise<unknown> {
  const { blockhash } = chain.latestBlockhash();
  const submission = await chain.submit(
    buildTransaction([{ program, accounts: [], data: Buffer.from(call.note) }], [call.payer], blockhash),
  );
  return submission.kind === 'refused' ? submission.error : submission.record.error;
}
