import type { ModelToken, Published, Transfer } from '../model/types.js';
import type { Args } from '../step.js';

/** A transaction that later steps may refer to. */
export interface KnownTransaction {
  readonly reference: string;
  readonly signature: string;
  /** The agent that sent it; null for the bank and for an operator. */
  readonly by: string | null;
  /** Other agents in it: who signed it too, or whose tokens a delegate moved. */
  readonly others: readonly string[];
  /** Addresses, not names. */
  readonly transfers: readonly Transfer[];
}

/** A payment request that later steps may pay. */
export interface KnownRequest {
  /** A reference to the value of the header. */
  readonly reference: string;
  readonly of: string;
  readonly amount: number;
  readonly token: ModelToken;
}

/** A call that may be repeated. */
export interface KeyedCall {
  readonly by: string;
  readonly operation: string;
  readonly args: Args;
  readonly isDone: boolean;
}

/** Where the value of a reference comes from. */
export interface ValueSource {
  /** Index among the overlapping calls of its step; null for a step that is not of such calls. */
  readonly call: number | null;
  /** Its path in the answer's body. */
  readonly path: string;
}

/** Results of the sequence so far: the values of references, and objects worth referring to. */
export class Memory {
  /** By reference name, such as `s3.signature`. */
  readonly values: Map<string, string>;
  /** The sources of `values`. */
  readonly sources: Map<string, ValueSource>;
  /** Each agent's current bearer token and when it was issued. */
  readonly tokens: Map<string, { readonly text: string; readonly issuedMs: number }>;
  readonly transactions: KnownTransaction[];
  readonly recorded: Set<string>;
  readonly requests: KnownRequest[];
  /** Headers of requests that agents have paid, or have tried to pay. */
  readonly triedRequests: Set<string>;
  readonly keyed: KeyedCall[];
  /** Calls that a fault or the chain failed, to be made again. */
  readonly failed: KeyedCall[];
  /** Instants at which something happened, and those that answers name: milliseconds. */
  readonly instants: Set<number>;
  /** Due dates that loans had before an operator changed them: nothing may happen there any more. */
  readonly oldDueDates: Set<number>;
  /** Rates and prices that were set for later. */
  readonly plannedChanges: (Published & { readonly fromMs: number })[];
  readonly loans: { readonly reference: string; readonly of: string }[];
  /** References to challenges, with the agents they were issued for. */
  readonly challenges: { readonly reference: string; readonly of: string }[];
  /** References to challenges that were answered. */
  readonly usedChallenges: Set<string>;
  readonly oldTokens: string[];
  /** On-chain delegates by owner. */
  readonly allowances: { readonly owner: string; readonly delegate: string }[];
  /** On-chain holdings of each wallet that did not come from the bank, in base units. */
  readonly ownFunds: Map<string, { readonly USDC: bigint; readonly SOL: bigint }>;

  readonly drained: Set<ModelToken>;

  constructor(from?: Memory) {
    this.values = new Map(from?.values);
    this.sources = new Map(from?.sources);
    this.tokens = new Map(from?.tokens);
    this.transactions = [...(from?.transactions ?? [])];
    this.recorded = new Set(from?.recorded);
    this.requests = [...(from?.requests ?? [])];
    this.triedRequests = new Set(from?.triedRequests);
    this.keyed = [...(from?.keyed ?? [])];
    this.failed = [...(from?.failed ?? [])];
    this.instants = new Set(from?.instants);
    this.oldDueDates = new Set(from?.oldDueDates);
    this.plannedChanges = [...(from?.plannedChanges ?? [])];
    this.loans = [...(from?.loans ?? [])];
    this.challenges = [...(from?.challenges ?? [])];
    this.usedChallenges = new Set(from?.usedChallenges);
    this.oldTokens = [...(from?.oldTokens ?? [])];
    this.allowances = [...(from?.allowances ?? [])];
    this.ownFunds = new Map(from?.ownFunds);
    this.drained = new Set(from?.drained);
  }

  /** Whether the treasury was drained: what the bank then moves between its own addresses depends on how calls follow each other. */
  get isDrained(): boolean {
    return this.drained.size > 0;
  }

  copy(): Memory {
    return new Memory(this);
  }
}
