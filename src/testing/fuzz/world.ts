import type { Outgoing } from '../../sdk/client/outgoing.js';
import type { AgentWallet } from '../../sdk/client/wallet.js';
import type { Variants } from '../../core/domain/variants.js';
import type { Answer, ApiCall, ModelToken, ModelConfig, WalletFacts } from './model/types.js';

/** Which engine a world stands on. */
export type FuzzEngine = 'litesvm' | 'bankrun';

/** How calls reach the service: as direct calls, or as HTTP requests with bodies and headers. */
export type FuzzTransport = 'direct' | 'http';

/** The world that is to be made. Equal options make equal worlds. */
export interface WorldOptions {
  readonly engine: FuzzEngine;
  readonly transport: FuzzTransport;
  readonly seed: string;
  readonly variants: Partial<Variants>;
}

/** What goes wrong on purpose with one call. */
export type Mishap =
  /** The connection ends before anything is done. */
  | 'drop-connection'
  /** It ends after everything is done. */
  | 'lose-answer'
  | 'oracle-outage'
  /** The chain cannot be reached for a transfer of the bank. */
  | 'chain-unavailable';

/** A transaction that has run. */
export interface RanTransaction {
  readonly signature: string;
  readonly hasFailed: boolean;
  readonly feePayer: string;
  readonly feeLamports: bigint;
  readonly signers: readonly string[];
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/** A world with its controls, as a fuzzer needs it. */
export interface FuzzWorld {
  readonly engine: FuzzEngine;
  /** Everything that a model of the service has to be told of the world. */
  readonly modelConfig: ModelConfig;
  /** A mint that is not the bank's USDC, which the wallets hold too. */
  readonly otherMint: string;
  /** Wallets with money on chain. */
  readonly wallets: readonly AgentWallet[];
  /** Makes a call; null when a mishap has lost the answer. `mishap` strikes this call only. */
  call(call: ApiCall, mishap: Mishap | null): Promise<Answer | null>;
  /** Runs something in the middle of the bank's transfers: before each is handed to the chain, and after. Null ends it. */
  onTransfer(pause: (() => Promise<void>) | null): void;
  /** Signs and sends; gives the chain's sentence when it is refused. `isTried` has a trial run first, as nodes do. */
  send(
    wallet: AgentWallet,
    outgoing: readonly Outgoing[],
    more: { readonly isTried: boolean; readonly cosigners: readonly AgentWallet[] },
  ): Promise<RanTransaction | { readonly refused: string }>;
  nowMs(): number;
  /** Lets time go on by so many milliseconds. */
  advance(ms: number): Promise<void>;
  setApy(token: ModelToken, apy: number): void;
  setPrice(token: ModelToken, usd: number): void;
  setOutage(isOut: boolean): void;
  setStale(isStale: boolean): void;
  linkIdentity(wallet: string, links: { readonly x: boolean; readonly github: boolean }): void;
  /** What an operator does with a loan. Gives whether it was done. */
  loanAction(
    what: 'approve' | 'deny' | 'makeOverdue' | 'makeDefaulted' | 'cure' | 'forgive',
    loanId: string,
  ): boolean;
  onChain(address: string): WalletFacts;
  /** What an address holds on chain, in base units, in the bank's USDC and in lamports. */
  holdings(address: string): { readonly USDC: bigint; readonly SOL: bigint };
  /** Sentences about what does not hold: sums of entries, negative balances, books and chain. */
  invariants(): Promise<readonly string[]>;
  /** Remembers the world; `restore` makes it what it was. */
  snapshot(): Promise<string>;
  restore(snapshot: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes worlds. */
export interface FuzzTarget {
  open(options: WorldOptions): Promise<FuzzWorld>;
  /** The address of the wallet that a world of this seed makes as its first, second and so on. */
  readonly madeWallet: (seed: string, number: number) => string;
}
