import type { AgentWallet, ChainConnection } from '../../sdk/client/wallet.js';
import type { ControlClient } from '../../api/control/client.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import type { Balances, TargetName } from './results.js';

/** `fetch`, or what stands for it. */
export type FetchLike = (url: string, init?: RequestInit) => Promise<Response>;

/** What a wallet holds on chain, in token units. */
export interface OnChain {
  readonly usdc: number;
  readonly sol: number;
}

/** The chain as a scenario uses it. */
export interface ChainAccess extends ChainConnection {
  /** The same without a trial run: a transaction that fails is charged and kept. */
  readonly withoutPreflight: ChainConnection;
  balances(address: string): Promise<OnChain>;
}

/** What a service tells of itself. */
export interface ServiceFacts {
  readonly treasury: string;
  readonly usdcMint: string;
  /** The key that signs receipts; null when the service does not tell it. */
  readonly issuer: string | null;
}

/** A rule of the books that does not hold. */
export interface BrokenRule {
  readonly rule: string;
  readonly text: string;
}

/** Something that happened, as the event log tells it. */
export type LoggedEvent = Readonly<Record<string, unknown>> & { readonly seq: number; readonly kind: string };

/** A world that a scenario is played in: a bank and what its user controls of it. */
export interface World {
  /** Ends with the version segment. */
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  /** Null where nobody may control the world. */
  readonly control: ControlClient | null;
  /** Null where the chain cannot be reached. */
  readonly chain: ChainAccess | null;
  readonly engine: string;
  facts(): Promise<ServiceFacts>;
  /** A wallet for an agent, funded as wanted. Rejects with CannotPlay where it cannot be. */
  createAgent(name: string, wanted: OnChain): Promise<AgentWallet>;
  /** The world's time; the machine's where it cannot be asked. */
  nowMs(): Promise<number>;
  /** What agents have, by name; null where it cannot be read. */
  holdings(addresses: Readonly<Record<string, string>>): Promise<Balances | null>;
  /** Every rule that does not hold; null where it cannot be asked. */
  invariants(): Promise<readonly BrokenRule[] | null>;
  /** The number of the last event; null where there is no event log. */
  lastEvent(): Promise<number | null>;
  eventsAfter(seq: number): Promise<readonly LoggedEvent[]>;
  close(): Promise<void>;
}

/** Where scenarios are played. */
export interface Target {
  readonly name: TargetName;
  /** Whether a scenario may set and move the world. */
  readonly hasControl: boolean;
  readonly hasChain: boolean;
  /** A world with these options. Rejects with CannotPlay where there cannot be one. */
  open(options: SimulatorOptions): Promise<World>;
}

/** A scenario cannot be played here; the message says why. It counts as skipped. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay';
}

/** The options that a scenario gives for its world cannot be; the message says which and why. The file is broken. */
export class UnusableWorld extends Error {
  override readonly name = 'UnusableWorld';
}
