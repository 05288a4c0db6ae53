import type { Outgoing } from '../../sdk/client/outgoing.js';
import type { AgentWallet } from '../../sdk/client/wallet.js';
import type { Variants } from '../../core/domain/variants.js';
import type { FuzzLimits } from './limits.js';
import type {
  Answer,
  ApiCall,
  ControlCall,
  ControlCommand,
  ModelToken,
  ModelConfig,
  OtherCommand,
  SeenTransaction,
} from './model/types.js';

export type FuzzEngine = 'litesvm' | 'bankrun';

/** How calls reach the service: as function calls, or as HTTP requests with bodies and headers. */
export type FuzzTransport = 'direct' | 'http';

/** Options of a world. Equal options make equal worlds. */
export interface WorldOptions {
  readonly engine: FuzzEngine;
  readonly transport: FuzzTransport;
  readonly seed: string;
  readonly variants: Partial<Variants>;
  /** Limits of the bank and on callers that differ from the defaults. */
  readonly limits?: Partial<FuzzLimits>;
}

/** Faults that are injected into one call, as rules of docs/reference/faults.md. */
export const MISHAPS = {
  /** The connection ends before the call takes effect. */
  'drop-connection': { effect: 'drop-connection' },
  /** The connection ends after the call took effect. */
  'lose-response': { effect: 'lose-response' },
  'oracle-outage': { effect: 'oracle-outage' },
  /** The bank cannot reach the chain, to submit transfers or to look up a transaction. */
  'chain-unavailable': { effect: 'chain-unavailable', phase: 'chain-submit' },
  'expired-blockhash': { effect: 'expire-blockhash' },
  'lost-transaction': { effect: 'drop-transaction' },
  'late-transaction': { effect: 'delay-transaction', phase: 'chain-submit', delay: '20s' },
  /** Its blockhash has expired when it arrives. */
  'stale-transaction': { effect: 'delay-transaction', phase: 'chain-submit', delay: '5m' },
  'late-confirmation': { effect: 'delay-transaction', phase: 'chain-confirm', delay: '20s' },
  'no-confirmation': { effect: 'chain-unavailable', phase: 'chain-confirm' },
} as const;

/** When a process ends during a call: before or after its first transfer on chain, or after its response. */
export const KILLED_AT = ['before', 'after', 'answered'] as const;
export type KilledAt = (typeof KILLED_AT)[number];

/** A fault injected into one call. */
export type Mishap = keyof typeof MISHAPS;

export type RanTransaction = Omit<SeenTransaction, 'transfers' | 'delegate'>;

export type OperatorCall = Omit<ControlCall, 'command'> & { readonly command: ControlCommand | OtherCommand };

export interface FuzzWorld {
  readonly engine: FuzzEngine;
  readonly modelConfig: ModelConfig;
  /** A mint other than the bank's USDC, which the wallets also hold. */
  readonly otherMint: string;
  /** Wallets funded on chain. */
  readonly wallets: readonly AgentWallet[];
  /** Makes a call; null when a fault lost the response. `mishap` applies to this call only. */
  call(call: ApiCall, mishap: Mishap | null): Promise<Answer | null>;
  /** Installs a hook that runs before and after the bank submits each transfer to the chain. Null removes it. */
  onTransfer(pause: (() => Promise<void>) | null): void;
  /** Signs and sends a transaction; returns the chain's error text when it is refused. `isTried` enables preflight, as on nodes. */
  send(
    wallet: AgentWallet,
    outgoing: readonly Outgoing[],
    more: { readonly isTried: boolean; readonly cosigners: readonly AgentWallet[] },
  ): Promise<RanTransaction | { readonly refused: string }>;
  ran(signature: string): RanTransaction;
  /** Sends all but this amount of a token from the treasury to another address, as a thief of its key would. Null when it holds less. */
  drain(
    token: ModelToken,
    leftBase: bigint,
    to: string,
  ): Promise<{ ran: RanTransaction; amountBase: bigint } | null>;
  /** Runs a command of the control interface, as an operator. */
  control(call: OperatorCall): Promise<Answer>;
  nowMs(): number;
  /** Advances the clock by `ms` milliseconds, as an operator. */
  advance(ms: number): Promise<Answer>;
  /** The address of a wallet's account for USDC, whether it exists or not. */
  tokenAccountOf(wallet: string): string;
  /** Balances of an address on chain, in base units of the bank's USDC and in lamports. */
  holdings(address: string): { readonly USDC: bigint; readonly SOL: bigint };
  /** The ids of queued withdrawals, in the order in which they will be carried out. No response shows the order across agents. */
  queued(): readonly string[];
  /** Violated invariants: sums of entries, negative balances, books that do not match the chain. */
  invariants(): Promise<readonly { readonly rule: string; readonly text: string }[]>;
  /** Takes a snapshot for `restore`. */
  snapshot(): Promise<string>;
  restore(snapshot: string): Promise<void>;
  deleteSnapshot(snapshot: string): void;
  /** Writes the world as a state file and reads it back: later differences show what the file does not contain. */
  reload(): Promise<void>;
  /**
   * A world on the other engine with the same state. It belongs to this world, and gets another state with the next call of this method.
   */
  onOtherEngine(): Promise<FuzzWorld>;
  /** Makes a call whose process is killed, and continues with what another process finds in its data folder. */
  kill(call: ApiCall, at: KilledAt): Promise<void>;
  close(): Promise<void>;
}

export interface FuzzTarget {
  open(options: WorldOptions): Promise<FuzzWorld>;
  /** Address of the nth wallet that a world with this seed creates. */
  readonly madeWallet: (seed: string, number: number) => string;
}
