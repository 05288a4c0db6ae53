import type { AgentWallet, ChainConnection } from '../../sdk/client/wallet.js';
import type { ControlClient } from '../../api/control/client.js';
import type { FetchLike } from '../../core/fetch.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import type { Balances, TargetName } from './results.js';

export interface OnChain {
  readonly usdc: number;
  readonly sol: number;
}

export interface ChainAccess extends ChainConnection {
  /** Without preflight: a failing transaction is executed and charged. */
  readonly withoutPreflight: ChainConnection;
  balances(address: string): Promise<OnChain>;
}

export interface ServiceFacts {
  readonly treasury: string;
  readonly usdcMint: string;
  /** The key that signs receipts; null if not published. */
  readonly issuer: string | null;
}

export interface BrokenRule {
  readonly rule: string;
  readonly text: string;
}

export type LoggedEvent = Readonly<Record<string, unknown>> & { readonly seq: number; readonly kind: string };

/** The world of a scenario: a bank and its controls. */
export interface World {
  /** Must end with the version segment. */
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  readonly control: ControlClient | null;
  readonly chain: ChainAccess | null;
  /** Null if unknown. */
  readonly seed: string | null;
  facts(): Promise<ServiceFacts>;
  /** Creates a funded wallet for an agent. Rejects with CannotPlay if that is impossible. */
  createAgent(name: string, wanted: OnChain): Promise<AgentWallet>;
  /** An existing wallet: the number of a dev wallet, or an address. Rejects with CannotPlay if its key is unknown. */
  existingWallet(which: number | string): Promise<AgentWallet>;
  /** World time; of a deployed service, the Date of its last response. */
  nowMs(): Promise<number>;
  /** Holdings of agents by name; null if unavailable. */
  holdings(addresses: Readonly<Record<string, string>>): Promise<Balances | null>;
  /** All violated invariants; null if unavailable. */
  invariants(): Promise<readonly BrokenRule[] | null>;
  /** Number of the last event; null without an event log. */
  lastEvent(): Promise<number | null>;
  eventsAfter(seq: number): Promise<readonly LoggedEvent[]>;
  close(): Promise<void>;
}

export interface Target {
  readonly name: TargetName;
  readonly hasControl: boolean;
  readonly hasChain: boolean;
  /** Opens a world with these options. Rejects with CannotPlay if that is impossible. */
  open(options: SimulatorOptions): Promise<World>;
}

/** A scenario cannot be played on this target; the message gives the reason. It counts as skipped. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay';
}

/** The world options of a scenario are invalid; the message names the option and the problem. The file counts as broken. */
export class UnusableWorld extends Error {
  override readonly name = 'UnusableWorld';
}
