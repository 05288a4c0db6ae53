import { setImmediate } from 'node:timers/promises';
import { MEMO_V4_PROGRAM, NATIVE_MINT, addressOf, bytesOf } from '../solana/addresses.js';
import { memoPrograms } from '../genesis.js';
import { programDataOf } from '../programs/deployed.js';
import { sameAccount } from '../prediction.js';
import { CachedPrograms } from './cached-programs.js';
import { INSTRUCTION_SENTENCES, TRANSACTION_SENTENCES } from '../solana/errors.js';
import { type NativeValues, loadNative, nativeAccount, nativeClock } from './native.js';
import type {
  Account,
  Engine,
  EngineClock,
  EngineTransaction,
  Execution,
  TransactionError,
} from '../engine.js';

interface NativeAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
  executable(): boolean;
}

interface NativeMeta {
  logs(): string[];
  computeUnitsConsumed(): bigint;
  returnData(): { programId(): Uint8Array; data(): Uint8Array };
  innerInstructions(): {
    instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
    stackHeight(): number;
  }[][];
}

interface NativeFailure {
  err(): unknown;
  meta(): NativeMeta;
}

interface NativeVm {
  setBlockhashCheck(check: boolean): void;
  setSigverify(check: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  withNativeMints(): void;
  getAccount(address: Uint8Array): NativeAccount | null;
  setAccount(address: Uint8Array, account: NativeAccount): void;
  setClock(clock: object): void;
  sendVersionedTransaction(bytes: Uint8Array): NativeMeta | NativeFailure;
}

interface Native extends NativeValues<NativeAccount> {
  LiteSvm: new () => NativeVm;
  FailedTransactionMetadata: new () => NativeFailure;
  TransactionErrorInstructionError: new () => { index: number; err(): unknown };
  TransactionErrorInsufficientFundsForRent: new () => { accountIndex: number };
  TransactionErrorDuplicateInstruction: new () => { index: number };
  InstructionErrorCustom: new () => { code: number };
}

// Errors without fields are numbers, in the order of these tables.
const TRANSACTION_ERRORS = Object.keys(TRANSACTION_SENTENCES);
const INSTRUCTION_ERRORS = Object.keys(INSTRUCTION_SENTENCES);

function nameIn(names: readonly string[], value: unknown): string {
  return (typeof value === 'number' ? names[value] : undefined) ?? String(value);
}

/** Idle machines of closed worlds, restored to their initial state: a new one takes 10 ms and more to load its programs. */
const IDLE: NativeVm[] = [];
const MOST_IDLE = 8;

function write(native: Native, vm: NativeVm, address: string, account: Account | null): void {
  vm.setAccount(bytesOf(address), nativeAccount(native, account));
}

/** An account of a machine; null when it is absent or has no lamports. */
function accountIn(vm: NativeVm, address: string): Account | null {
  const native = vm.getAccount(bytesOf(address));
  const lamports = native?.lamports() ?? 0n;
  if (native === null || lamports === 0n) return null;
  return {
    lamports,
    data: native.data(),
    owner: addressOf(native.owner()),
    executable: native.executable(),
  };
}

/** Source: add_builtin of the token program's native mint in Agave's runtime. */
const NATIVE_MINT_LAMPORTS = 1_000_000_000n;

/** A program that litesvm lacks. Machines start with it to save a compilation; a world sees it once it is written. */
const ADDED = MEMO_V4_PROGRAM;

function started(native: Native): NativeVm {
  const vm = new native.LiteSvm();
  vm.setBlockhashCheck(false);
  vm.setSigverify(false);
  vm.setTransactionHistory(0n);
  vm.withNativeMints();
  const wrapped = accountIn(vm, NATIVE_MINT);
  if (wrapped !== null) write(native, vm, NATIVE_MINT, { ...wrapped, lamports: NATIVE_MINT_LAMPORTS });
  write(native, vm, ADDED, memoPrograms().get(ADDED) ?? null);
  return vm;
}

/** An execution that reads logs and the rest from the native side lazily. */
class LiteSvmExecution implements Execution {
  readonly #meta: NativeMeta;

  constructor(
    meta: NativeMeta,
    readonly error: TransactionError | null,
    readonly executed: boolean,
  ) {
    this.#meta = meta;
  }

  get logs(): readonly string[] {
    return this.#meta.logs();
  }

  get unitsConsumed(): bigint {
    return this.#meta.computeUnitsConsumed();
  }

  get returnData(): Execution['returnData'] {
    const returned = this.#meta.returnData();
    const data = returned.data();
    return data.length === 0 ? null : { programId: addressOf(returned.programId()), data };
  }

  get innerInstructions(): Execution['innerInstructions'] {
    return this.#meta.innerInstructions().map((list) =>
      list.map((inner) => {
        const instruction = inner.instruction();
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: instruction.data(),
          stackHeight: inner.stackHeight(),
        };
      }),
    );
  }
}

/** litesvm (Agave 3) in this process: fast and deterministic. */
export class LiteSvmEngine implements Engine {
  readonly name = 'litesvm';
  readonly nativeUnits = 3_000;
  readonly #native = loadNative('litesvm') as Native;
  #vm = IDLE.pop() ?? started(this.#native);
  #programs = new CachedPrograms({ runsRemoved: true });
  #isAddedVisible = false;

  async execute({ bytes, blockhashOffset }: EngineTransaction): Promise<Execution> {
    // litesvm takes a transaction's blockhash for its slot's blockhash, and refuses to advance a nonce whose value was derived from it.
    const patched = new Uint8Array(bytes);
    patched.fill(0, blockhashOffset, blockhashOffset + 32);
    const result = this.#vm.sendVersionedTransaction(patched);
    const failed = result instanceof this.#native.FailedTransactionMetadata;
    return failed ? this.#failed(result) : new LiteSvmExecution(result, null, true);
  }

  async getAccount(address: string): Promise<Account | null> {
    return this.#account(address);
  }

  async getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return addresses.map((address) => this.#account(address));
  }

  setAccount(address: string, account: Account | null): void {
    if (address === ADDED) {
      this.#isAddedVisible = account !== null;
      return;
    }
    // A program that is deployed again cannot be called in the same slot.
    if (account?.executable === true && sameAccount(this.#account(address), account)) return;
    // litesvm refuses a program without its data, which a cluster stores but does not run.
    const dataAddress = account === null ? null : programDataOf(account);
    const canRun = account !== null && (dataAddress === null || this.#account(dataAddress) !== null);
    const executable = account?.executable === true && canRun;
    write(this.#native, this.#vm, address, account === null ? null : { ...account, executable });
    this.#programs.written(address, account);
  }

  hasOtherProgram(address: string, account: Account | null): boolean {
    return this.#programs.runsOther(address, account);
  }

  noteProgram(address: string): void {
    this.#programs.changed(address);
  }

  async renew(): Promise<void> {
    this.release();
    // Node frees machines that are no longer used only between turns of the event loop.
    await setImmediate();
    this.#vm = IDLE.pop() ?? started(this.#native);
    this.#programs = new CachedPrograms({ runsRemoved: true });
  }

  setClock(clock: EngineClock): void {
    this.#vm.setClock(nativeClock(this.#native, clock));
  }

  forgetTransactions(): void {
    // The machine's transaction history is disabled.
  }

  release(): void {
    if (!this.#programs.isEmpty || IDLE.length >= MOST_IDLE) return;
    // A program runs from the slot after the clock's at which it is written; an earlier world's clock must not matter.
    this.setClock({ slot: 0n, epoch: 0n, unixTimestamp: 0n });
    IDLE.push(this.#vm);
  }

  #account(address: string): Account | null {
    if (address === ADDED && !this.#isAddedVisible) return null;
    return accountIn(this.#vm, address);
  }

  #failed(failure: NativeFailure): Execution {
    const error = this.#error(failure.err());
    const meta = failure.meta();
    // Errors during execution or from its outcome are charged; transactions that cannot be loaded are not. Rent is checked both times.
    const isRent = typeof error !== 'string' && 'InsufficientFundsForRent' in error;
    const executed = typeof error !== 'string' && !(isRent && meta.computeUnitsConsumed() === 0n);
    return new LiteSvmExecution(meta, error, executed);
  }

  #error(error: unknown): TransactionError {
    const native = this.#native;
    if (error instanceof native.TransactionErrorInstructionError) {
      const cause = error.err();
      return {
        InstructionError: [
          error.index,
          cause instanceof native.InstructionErrorCustom
            ? { Custom: cause.code }
            : nameIn(INSTRUCTION_ERRORS, cause),
        ],
      };
    }
    if (error instanceof native.TransactionErrorInsufficientFundsForRent) {
      return { InsufficientFundsForRent: { account_index: error.accountIndex } };
    }
    if (error instanceof native.TransactionErrorDuplicateInstruction)
      return { DuplicateInstruction: error.index };
    return nameIn(TRANSACTION_ERRORS, error);
  }
}
