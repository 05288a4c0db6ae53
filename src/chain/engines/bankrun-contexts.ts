import type { Account } from '../engine.js';
import { CachedPrograms } from './cached-programs.js';
import { type NativeValues, loadNative } from './native.js';
import { makePrivateFolder } from './private-folder.js';

/** The native classes of solana-bankrun that the engine uses, without its JavaScript wrapper. */
export interface NativeAccount {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: Uint8Array;
  readonly executable: boolean;
}

/** The native result of an executed transaction. */
export interface NativeMeta {
  readonly logMessages: string[];
  readonly returnData: { readonly programId: Uint8Array; readonly data: Uint8Array } | null;
  readonly computeUnitsConsumed: bigint;
}

export interface NativeResult {
  readonly result: string | null;
  readonly meta: NativeMeta | null;
}

interface NativeClient {
  getAccount(address: Uint8Array): Promise<NativeAccount | null>;
  tryProcessVersionedTransaction(bytes: Uint8Array): Promise<NativeResult>;
  getLatestBlockhash(): Promise<{ readonly blockhash: string } | null>;
}

interface NativeContext {
  readonly banksClient: NativeClient;
  setAccount(address: Uint8Array, account: NativeAccount): void;
  setClock(clock: object): void;
}

interface Native extends NativeValues<NativeAccount> {
  start(programs: [], accounts: []): Promise<NativeContext>;
}

/** A context, and the programs that it has cached in all worlds that have used it. */
export interface ProgramContext {
  readonly context: NativeContext;
  readonly programs: CachedPrograms;
}

/**
 * The contexts of this process. bankrun never frees a context and leaves temporary folders for each. So closed worlds
 * return theirs for reuse, and all share a private folder that is removed at exit.
 */
class Contexts {
  readonly #idle: ProgramContext[] = [];
  #native: Native | null = null;
  #folder: string | null = null;
  #prepared: Promise<ProgramContext> | null = null;
  #starting: Promise<unknown> = Promise.resolve();

  /** The native classes, loaded on first use, since loading costs milliseconds. */
  native(): Native {
    if (this.#native === null) {
      process.env['RUST_LOG'] ??= 'off';
      this.#native = loadNative('bankrun') as Native;
    }
    return this.#native;
  }

  /** Starts a context before the world that will use it, on its own threads. */
  prepare(): void {
    this.#prepared = this.take();
    // The error reaches the caller of `take`.
    this.#prepared.catch(() => undefined);
  }

  async take(): Promise<ProgramContext> {
    const prepared = this.#prepared;
    this.#prepared = null;
    return prepared ?? this.#idle.pop() ?? this.#startNext();
  }

  /** A context whose cached programs do not contradict these accounts. */
  async takeFor(accounts: ReadonlyMap<string, Account | null>): Promise<ProgramContext> {
    const at = this.#idle.findLastIndex(({ programs }) =>
      [...accounts].every(([address, account]) => !programs.runsOther(address, account)),
    );
    return this.#idle.splice(at, at < 0 ? 0 : 1)[0] ?? this.#startNext();
  }

  #startNext(): Promise<ProgramContext> {
    const started = this.#starting.then(() => this.#start());
    this.#starting = started.catch(() => undefined);
    return started;
  }

  giveBack(context: ProgramContext): void {
    if (!context.programs.hasChanged) this.#idle.push(context);
  }

  async #start(): Promise<ProgramContext> {
    const native = this.native();
    const before = process.env['TMPDIR'];
    this.#folder ??= makePrivateFolder();
    process.env['TMPDIR'] = this.#folder;
    try {
      return {
        context: await native.start([], []),
        programs: new CachedPrograms({ runsRemoved: false }),
      };
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  }
}

export const contexts = new Contexts();
