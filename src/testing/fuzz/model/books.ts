import { Map as ImmutableMap } from 'immutable';
import type { BankLimitName } from '../../../core/domain/bank-limits.js';
import { NOTHING, millionths } from './amounts.js';
import { type BankTransfer, ChainCount, shallowCopy } from './chain-count.js';
import type { Memory, Place, Told, Tree } from './compare.js';
import { Forms } from './forms.js';
import { type HistoryRecord, PLAIN_RECORD } from './history.js';
import { OracleView } from './oracle.js';
import type { BaseAmounts, ModelConfig, ModelToken, SeenTransaction } from './types.js';
import { withMoreTaken, NO_SAVINGS, type Savings } from './savings.js';
import { type ReviewPolicy, reviewPolicy, type Loan } from './loan.js';
import { Schedule } from './schedule.js';
import type { Verdict } from './verdict.js';
import { type Debt, noDebt } from './debt.js';

/** A transfer that was sent: in flight, or executed on chain without the bank's knowledge. */
export type InFlight =
  | { readonly kind: 'sent'; readonly deadSlot: number; readonly arrivesMs: number }
  | {
      readonly kind: 'ran';
      readonly untilMs: number;
      readonly isRejected: boolean;
      /** Lamports that it cost in addition to the amount. */
      readonly costLamports: bigint;
    };

export interface Outflow extends BankTransfer {
  readonly kind: 'outflow';
  readonly type: Spending;
  /** Its record. */
  readonly at: Place;
  readonly use: Use;
  /** Null if it has not been sent. */
  readonly transfer: InFlight | null;
}

/** Savings moving to or from the lending protocol, or the sweep of a collection address, while the bank does not know the outcome. */
export interface Move extends BankTransfer {
  readonly kind: 'savings' | 'sweep';
  readonly transfer: InFlight;
}

/** A transaction on the chain: one from outside, or the bank's transfer for a customer. */
export type KnownTransaction =
  | SeenTransaction
  | (Pick<SeenTransaction, 'transfers' | 'hasFailed' | 'signers'> & {
      readonly customer: string;
      /** The record of the payment. */
      readonly at: Place;
    });

/** The stored response to a call with an Idempotency-Key. */
export interface Kept {
  readonly atMs: number;
  /** The call as text, without unknown members. */
  readonly call: string;
  readonly body: Tree;
  /** The record of a payment that was not completed at the time of the response, and whose outcome decides the response. Null for none. */
  readonly underWay: Place | null;
}

/** A call in progress with an Idempotency-Key. */
export interface Running {
  readonly call: string;
  /** Null until it ends. */
  verdict: Verdict | null;
}

type NewRecord = Pick<HistoryRecord, 'type' | 'token' | 'amountBase'> & Partial<HistoryRecord>;

/** Everything that the model knows of a world. Maps that are not small are immutable, so that copies share them. */
export class Books implements Memory {
  readonly modelConfig: ModelConfig;
  /** The limits of the bank in millionths. */
  readonly limitsE6: Readonly<Record<BankLimitName, bigint>>;
  readonly forms: Forms;
  nowMs: number;
  oracle: OracleView;
  schedule = new Schedule();
  agents = new Map<string, Agent>();
  tokens = ImmutableMap<string, { readonly wallet: string; readonly expiresMs: number }>();
  challenges = ImmutableMap<
    string,
    { readonly wallet: string; readonly expiresMs: number; readonly isUsed: boolean }
  >();
  transactions = ImmutableMap<string, KnownTransaction>();
  /** Transactions that count as unconfirmed, with the instant at which that ends. */
  held = ImmutableMap<string, number>();
  /** Signatures that were recorded, for any purpose. */
  recorded = ImmutableMap<string, true>();
  /** By wallet and key. */
  kept = ImmutableMap<string, Kept>();
  /** Calls in progress by wallet and key. No copy is taken while calls overlap. */
  running = new Map<string, Running>();
  /** Withdrawals and payments that wait for the treasury to be supplied, the current one first. */
  supplying: object[] = [];
  /** Addresses being prepared for payment requests: `<token> <address>`. */
  preparing = new Set<string>();
  /** Paid payment requests, by all members that identify one, with the record of the payment. */
  paidRequests = ImmutableMap<string, Place>();
  /**
   * Unsettled transfers in the order in which they were reserved or sent, by wallet and index of the record, or by kind, token and wallet.
   */
  waiting = new Map<string, Outflow | Move>();
  /** The bank's successful transfers by recipient, in base units. */
  sent = new Map<string, BaseAmounts>();
  chain: ChainCount;
  reviewPolicy: ReviewPolicy;
  /** The instant up to which collateral loans were assessed, and changes of rates and prices reported. */
  seenMs: number;
  /** Texts that occur once. */
  seen = ImmutableMap<string, true>();

  constructor(modelConfig: ModelConfig) {
    this.modelConfig = modelConfig;
    const limits = Object.entries(modelConfig.limits).map(([name, value]) => [name, millionths(value)]);
    this.limitsE6 = Object.fromEntries(limits) as Record<BankLimitName, bigint>;
    this.forms = new Forms(modelConfig);
    this.nowMs = modelConfig.startMs;
    this.seenMs = modelConfig.startMs;
    this.oracle = new OracleView(modelConfig);
    this.chain = new ChainCount(modelConfig);
    this.reviewPolicy = reviewPolicy(modelConfig.variants.review);
  }

  /** A copy: changes to one do not affect the other. */
  copy(): Books {
    const copy = shallowCopy(this);
    copy.oracle = shallowCopy(this.oracle);
    copy.schedule = shallowCopy(this.schedule);
    copy.agents = new Map([...this.agents].map(([wallet, agent]) => [wallet, copyAgent(agent)]));
    copy.waiting = new Map(this.waiting);
    copy.sent = new Map(this.sent);
    copy.chain = this.chain.copy();
    [copy.running, copy.supplying, copy.preparing] = [new Map(), [], new Set()];
    return copy;
  }

  agent(wallet: string): Agent {
    const agent = this.agents.get(wallet);
    if (agent === undefined) throw new RangeError(`no customer ${wallet}`);
    return agent;
  }

  /** Opens an account if it does not exist. Source: docs/reference/fidelity.md, Signing in. */
  open(wallet: string): Agent {
    const agent = this.agents.get(wallet) ?? newAgent(wallet, this.nowMs, this.limitsE6.collateralApr);
    this.agents.set(wallet, agent);
    return agent;
  }

  index(token: ModelToken): bigint {
    return this.oracle.index(token, this.nowMs);
  }

  apyPpm(token: ModelToken): bigint {
    return this.oracle.at('apy', token, this.nowMs);
  }

  /** In hundred-millionths of a USD, whatever its age. */
  priceE8(token: ModelToken): bigint {
    return this.oracle.at('usd', token, this.nowMs);
  }

  /** Adds a record to the history of an agent whose balance has changed already. */
  addRecord({ wallet, history, checking }: Agent, record: NewRecord): Place {
    const now = { createdAtMs: this.nowMs, balanceAfterBase: checking[record.token] };
    return { wallet, index: history.push({ ...PLAIN_RECORD, ...now, ...record }) - 1 };
  }

  record({ wallet, index }: Place): HistoryRecord {
    const record = this.agent(wallet).history[index];
    if (record === undefined) throw new RangeError(`no history record ${index}`);
    return record;
  }

  changeRecord(at: Place, change: Partial<HistoryRecord>): void {
    this.agent(at.wallet).history[at.index] = { ...this.record(at), ...change };
  }

  /** Counts a successful transfer of the bank. Returns its cost in lamports in addition to the amount. */
  noteSent(transfer: BankTransfer): bigint {
    const { destination: to, token, amountBase } = transfer;
    const before = this.sent.get(to) ?? NOTHING;
    this.sent.set(to, { ...before, [token]: before[token] + amountBase });
    return this.chain.sent(transfer, this.nowMs);
  }

  isNew(text: string): boolean {
    const before = this.seen;
    this.seen = before.set(text, true);
    return this.seen !== before;
  }

  told(what: Told, at: Place): string | null {
    if (what === 'loanId') return this.agent(at.wallet).loans[at.index]?.id ?? null;
    const { id, signature } = this.record(at);
    return what === 'recordId' ? id : signature;
  }

  learn(what: Told, at: Place, text: string): void {
    if (what === 'loanId') {
      const { loans } = this.agent(at.wallet);
      const loan = loans[at.index];
      if (loan !== undefined) loans[at.index] = { ...loan, id: text };
    } else if (what === 'recordId') this.changeRecord(at, { id: text });
    else {
      this.changeRecord(at, { signature: text });
      const { treasury } = this.modelConfig;
      const { token, amountBase, carriedTo } = this.record(at);
      const transfers = [{ from: treasury, to: carriedTo ?? at.wallet, token, amountBase }];
      const transaction = { customer: at.wallet, at, transfers, hasFailed: false, signers: [treasury] };
      this.transactions = this.transactions.set(text, transaction);
    }
  }

  learnChallenge(text: string, of: { wallet: string; expiresMs: number }): void {
    this.challenges = this.challenges.set(text, { ...of, isUsed: false });
  }

  learnToken(token: string, of: { wallet: string; expiresMs: number }): void {
    this.tokens = this.tokens.set(token, of);
  }

  learnYield(at: Place, differenceBase: bigint): void {
    const { checking, savings } = this.agent(at.wallet);
    const { token, amountBase, balanceAfterBase } = this.record(at);
    checking[token] += differenceBase;
    this.chain.paidYield[token] += differenceBase;
    savings[token] = withMoreTaken(savings[token], differenceBase, this.index(token));
    this.changeRecord(at, {
      amountBase: amountBase + differenceBase,
      balanceAfterBase: balanceAfterBase + differenceBase,
    });
  }

  /** The address that receives a wallet's x402 payments: a customer's collection address. Source: docs/reference/fidelity.md, x402. */
  paidAt(wallet: string): string {
    return this.agents.has(wallet) ? this.modelConfig.collectionOf(wallet) : wallet;
  }
}

/** The operations with a daily limit, by the type of their record. */
export type Spending = 'withdraw' | 'x402_payment';

/** One use of a daily limit, in millionths of a USD. */
export interface Use {
  readonly atMs: number;
  readonly microUsd: bigint;
}

/** A customer. Records, uses and loans are oldest first, and immutable. */
export interface Agent {
  readonly wallet: string;
  readonly sinceMs: number;
  links: { readonly x: boolean; readonly github: boolean };
  readonly checking: Record<ModelToken, bigint>;
  readonly savings: Record<ModelToken, Savings>;
  collateral: Debt;
  /** What was used of the two daily limits. */
  readonly uses: Record<Spending, readonly Use[]>;
  readonly history: HistoryRecord[];
  readonly loans: Loan[];
}

/** A new customer without money. `aprPpm` is the rate of collateral loans. */
export function newAgent(wallet: string, sinceMs: number, aprPpm: bigint): Agent {
  return {
    wallet,
    sinceMs,
    links: { x: false, github: false },
    checking: { USDC: 0n, SOL: 0n },
    savings: { USDC: NO_SAVINGS, SOL: NO_SAVINGS },
    collateral: noDebt(aprPpm),
    uses: { withdraw: [], x402_payment: [] },
    history: [],
    loans: [],
  };
}

/** A copy: changes to one do not affect the other. */
export function copyAgent(agent: Agent): Agent {
  return {
    ...agent,
    checking: { ...agent.checking },
    savings: { ...agent.savings },
    uses: { ...agent.uses },
    history: agent.history.slice(),
    loans: agent.loans.slice(),
  };
}
