import type { ModelToken, Published, Transfer } from '../model/types.js';
import type { Args } from '../step.js';

/** A transaction that later steps may refer to. */
export interface KnownTransaction {
  readonly reference: string;
  readonly signature: string;
  /** The agent that sent it; null for the bank and for operators. */
  readonly by: string | null;
  /** Other agents involved: cosigners, or owners whose tokens a delegate moved. */
  readonly others: readonly string[];
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
  /** Index among the overlapping calls of its step; null for a step without overlapping calls. */
  readonly call: number | null;
  /** Its path in the response body. */
  readonly path: string;
}

/** Results of the sequence so far: the values of references, and objects that later steps may refer to. */
export class Memory {
  /** By reference name, such as `s3.signature`. */
  readonly values: Map<string, string>;
  readonly sources: Map<string, ValueSource>;
  /** Each agent's current bearer token, and when it was issued. */
  readonly tokens: Map<string, { readonly text: string; readonly issuedMs: number }>;
  readonly transactions: KnownTransaction[];
  readonly recorded: Set<string>;
  readonly requests: KnownRequest[];
  /** Headers of requests that agents have paid or tried to pay. */
  readonly triedRequests: Set<string>;
  readonly keyed: KeyedCall[];
  /** Calls that failed because of a fault or the chain, to be repeated. */
  readonly failed: KeyedCall[];
  /** Instants at which something happened, and instants in responses, in milliseconds. */
  readonly instants: Set<number>;
  /** Former due dates of loans that an operator changed: nothing may happen then. */
  readonly oldDueDates: Set<number>;
  /** Scheduled changes of rates and prices. */
  readonly plannedChanges: (Published & { readonly fromMs: number })[];
  readonly loans: { readonly reference: string; readonly of: string }[];
  /** References to challenges, with the agents they were issued for. */
  readonly challenges: { readonly reference: string; readonly of: string }[];
  /** References to challenges that were verified. */
  readonly usedChallenges: Set<string>;
  readonly oldTokens: string[];
  /** On-chain delegates by owner. */
  readonly allowances: { readonly owner: string; readonly delegate: string }[];
  /** Each wallet's on-chain holdings that did not come from the bank, in base units. */
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

  /** Whether the treasury was drained: then the bank's transfers between its own addresses depend on the order of calls. */
  get isDrained(): boolean {
    return this.drained.size > 0;
  }

  copy(): Memory {
    return new Memory(this);
  }
}
