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
  readonly atMs: number;
}

/** Results of the sequence so far: the values of references, and objects that later steps may refer to. Each member is a map, a set or a list. */
export class Memory {
  /** By reference name, such as `s3.signature`. */
  readonly values = new Map<string, string>();
  /** Where in the response of its step each value was. */
  readonly paths = new Map<string, string>();
  /** Each agent's current bearer token, and when it was issued. */
  readonly tokens = new Map<string, { readonly text: string; readonly issuedMs: number }>();
  readonly transactions: KnownTransaction[] = [];
  readonly recorded = new Set<string>();
  readonly requests: KnownRequest[] = [];
  /** Headers of requests that agents have paid or tried to pay. */
  readonly triedRequests = new Set<string>();
  readonly keyed: KeyedCall[] = [];
  /** Calls that failed because of a fault or the chain, to be repeated. */
  readonly failed: KeyedCall[] = [];
  /** Instants at which something happened, and instants in responses, in milliseconds. */
  readonly instants = new Set<number>();
  /** Former due dates of loans that an operator changed: nothing may happen then. */
  readonly oldDueDates = new Set<number>();
  /** Scheduled changes of rates and prices. */
  readonly plannedChanges: (Published & { readonly fromMs: number })[] = [];
  readonly loans: { readonly reference: string; readonly of: string }[] = [];
  /** References to challenges, with the agents they were issued for. */
  readonly challenges: { readonly reference: string; readonly of: string }[] = [];
  /** References to challenges that were verified. */
  readonly usedChallenges = new Set<string>();
  readonly oldTokens: string[] = [];
  /** On-chain delegates by owner. */
  readonly allowances: { readonly owner: string; readonly delegate: string }[] = [];
  /** Each wallet's on-chain holdings that did not come from the bank, in base units. */
  readonly ownFunds = new Map<string, { readonly USDC: bigint; readonly SOL: bigint }>();
  /** Tokens that a thief took from the treasury. */
  readonly drained = new Set<ModelToken>();

  /** Whether the treasury was drained: then the bank's transfers between its own addresses depend on the order of calls. */
  get isDrained(): boolean {
    return this.drained.size > 0;
  }

  copy(): Memory {
    const copies = Object.entries(this).map(([name, member]: [string, object]) => {
      if (member instanceof Map) return [name, new Map(member)];
      return [name, member instanceof Set ? new Set(member) : [...(member as unknown[])]];
    });
    return Object.assign(new Memory(), Object.fromEntries(copies));
  }
}
