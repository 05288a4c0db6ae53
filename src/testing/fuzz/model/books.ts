import { type Agent, copyAgent, newAgent } from './agent.js';
import { type BankTransfer, ChainCount } from './chain-count.js';
import type { LoanPlace, Memory, RecordPlace, Tree } from './compare.js';
import { Growth } from './growth.js';
import type { Use } from './daily-limit.js';
import { CopyOnWriteMap } from './copy-on-write-map.js';
import { OracleView } from './oracle.js';
import type { BaseAmounts, ModelToken, ModelConfig } from './types.js';
import { withMoreTaken } from './savings.js';
import { type ReviewPolicy, reviewPolicy } from './review-policy.js';
import { Schedule } from './schedule.js';
import { TokenAccounts } from './token-accounts.js';
import type { KnownTransaction } from './transactions.js';
import type { Verdict } from './verdict.js';

export interface Challenge {
  readonly wallet: string;
  readonly expiresMs: number;
  readonly isUsed: boolean;
}

/** A transfer that was sent: on its way, or run on the chain without the bank knowing. */
export type InFlight =
  | { readonly kind: 'sent'; readonly deadSlot: number; readonly arrivesMs: number }
  | {
      readonly kind: 'ran';
      readonly untilMs: number;
      readonly isRejected: boolean;
      /** Lamports that it cost besides the amount. */
      readonly costLamports: bigint;
    };

/** A withdrawal or payment that is not settled. */
export interface Outflow extends BankTransfer {
  readonly kind: 'outflow';
  readonly wallet: string;
  /** Index of its record. */
  readonly record: number;
  readonly use: Use;
  /** Null for one that is not sent yet. */
  readonly transfer: InFlight | null;
}

/** Savings on their way to the lending protocol or back, or a collection address that is swept, without the bank knowing the outcome. */
export interface Move extends BankTransfer {
  readonly kind: 'savings' | 'sweep';
  readonly transfer: InFlight;
}

export type Waiting = Outflow | Move;

/** The stored answer to a call with an Idempotency-Key. */
export interface Kept {
  readonly atMs: number;
  /** The call as text, without unknown members. */
  readonly call: string;
  readonly body: Tree;
  /** The record of a payment that decides the answer: it was not completed when the call was answered. Null for none. */
  readonly underWay: RecordPlace | null;
}

/** A call under way with an Idempotency-Key. */
export interface Running {
  readonly call: string;
  /** Null until it is over. */
  verdict: Verdict | null;
}

/** The model's complete state of a world. */
export class Books implements Memory {
  readonly modelConfig: ModelConfig;
  nowMs: number;
  readonly oracle: OracleView;
  readonly schedule: Schedule;
  readonly agents: Map<string, Agent>;
  readonly tokens: CopyOnWriteMap<{ readonly wallet: string; readonly expiresMs: number }>;
  readonly challenges: CopyOnWriteMap<Challenge>;
  readonly transactions: CopyOnWriteMap<KnownTransaction>;
  /** Transactions that count as unconfirmed, until an instant. */
  readonly held: CopyOnWriteMap<number>;
  /** Signatures that were recorded, for any purpose. */
  readonly recorded: CopyOnWriteMap<true>;
  /** By wallet and key. */
  readonly kept: CopyOnWriteMap<Kept>;
  /** Calls under way by wallet and key. Calls overlap in no copy that is taken. */
  readonly running = new Map<string, Running>();
  /** Withdrawals and payments that wait for a treasury to be supplied, the one at work first. */
  readonly supplying: object[] = [];
  /** What is made ready for payment requests: `<token> <address>`. */
  readonly preparing = new Set<string>();
  /** Payment requests that were paid, with everything that makes them one: the record of the payment. */
  readonly paidRequests: CopyOnWriteMap<RecordPlace>;
  /** Transfers that are not settled, in the order in which they were reserved or sent: by wallet and index of the record, or by kind, token and wallet. */
  readonly waiting: Map<string, Waiting>;
  readonly sent: Map<string, BaseAmounts>;
  readonly chain: ChainCount;
  /** Shared by all copies: it holds only what follows from addresses. */
  readonly tokenAccounts: TokenAccounts;
  reviewPolicy: ReviewPolicy;
  /** The instant up to which collateral loans were looked at, and changes of rates and prices reported. */
  seenMs: number;
  readonly #seen: CopyOnWriteMap<true>;

  constructor(modelConfig: ModelConfig, from: Books | null = null) {
    this.modelConfig = modelConfig;
    this.nowMs = from?.nowMs ?? modelConfig.startMs;
    this.oracle = from?.oracle.copy() ?? OracleView.begin(modelConfig, new Growth());
    this.schedule = from?.schedule.copy() ?? new Schedule();
    this.agents = new Map();
    for (const [wallet, agent] of from?.agents ?? []) this.agents.set(wallet, copyAgent(agent));
    this.tokens = from?.tokens.copy() ?? CopyOnWriteMap.empty();
    this.challenges = from?.challenges.copy() ?? CopyOnWriteMap.empty();
    this.transactions = from?.transactions.copy() ?? CopyOnWriteMap.empty();
    this.held = from?.held.copy() ?? CopyOnWriteMap.empty();
    this.recorded = from?.recorded.copy() ?? CopyOnWriteMap.empty();
    this.kept = from?.kept.copy() ?? CopyOnWriteMap.empty();
    this.paidRequests = from?.paidRequests.copy() ?? CopyOnWriteMap.empty();
    this.#seen = from === null ? CopyOnWriteMap.empty() : from.#seen.copy();
    this.tokenAccounts = from?.tokenAccounts ?? new TokenAccounts(modelConfig.usdcMint);
    this.waiting = new Map(from?.waiting);
    this.sent = new Map(from?.sent);
    this.chain = new ChainCount(modelConfig, from?.chain ?? null);
    this.reviewPolicy = from?.reviewPolicy ?? reviewPolicy(modelConfig.variants.review);
    this.seenMs = from?.seenMs ?? modelConfig.startMs;
  }

  copy(): Books {
    return new Books(this.modelConfig, this);
  }

  agent(wallet: string): Agent {
    const agent = this.agents.get(wallet);
    if (agent === undefined) throw new RangeError(`no customer ${wallet}`);
    return agent;
  }

  /** Opens an account unless it exists. Source: docs/reference/fidelity.md, Signing in. */
  open(wallet: string): Agent {
    const known = this.agents.get(wallet);
    if (known !== undefined) return known;
    const agent = newAgent(wallet, this.nowMs, this.modelConfig);
    this.agents.set(wallet, agent);
    return agent;
  }

  index(token: ModelToken): bigint {
    return this.oracle.index(token, this.nowMs);
  }

  apyPpm(token: ModelToken): bigint {
    return this.oracle.apyPpm(token, this.nowMs);
  }

  /** In hundred-millionths of a USD, whatever its age. */
  priceE8(token: ModelToken): bigint {
    return this.oracle.priceE8(token, this.nowMs);
  }

  /** Records a successful transfer of the bank. Returns the lamports that it cost besides the amount. */
  noteSent(transfer: BankTransfer): bigint {
    const { destination: to, token, amountBase } = transfer;
    const before = this.sent.get(to) ?? { USDC: 0n, SOL: 0n };
    this.sent.set(to, { ...before, [token]: before[token] + amountBase });
    return this.chain.sent(transfer, this.nowMs);
  }

  isNew(text: string): boolean {
    if (this.#seen.get(text) === true) return false;
    this.#seen.set(text, true);
    return true;
  }

  recordId({ wallet, index }: RecordPlace): string | null {
    return this.agent(wallet).history.at(index).id;
  }

  learnRecordId({ wallet, index }: RecordPlace, id: string): void {
    this.agent(wallet).history.change(index, { id });
  }

  recordSignature({ wallet, index }: RecordPlace): string | null {
    return this.agent(wallet).history.at(index).signature;
  }

  learnRecordSignature({ wallet, index }: RecordPlace, signature: string): void {
    const { history } = this.agent(wallet);
    history.change(index, { signature });
    const { token, amountBase, carriedTo } = history.at(index);
    const to = carriedTo ?? wallet;
    const transfer = { customer: wallet, to, token, amountBase };
    this.transactions.set(signature, { kind: 'bank', transfer });
  }

  loanId({ wallet, index }: LoanPlace): string | null {
    return this.agent(wallet).loans[index]?.id ?? null;
  }

  learnLoanId({ wallet, index }: LoanPlace, id: string): void {
    const { loans } = this.agent(wallet);
    const loan = loans[index];
    if (loan !== undefined) loans[index] = { ...loan, id };
  }

  learnChallenge(text: string, { wallet, expiresMs }: { wallet: string; expiresMs: number }): void {
    this.challenges.set(text, { wallet, expiresMs, isUsed: false });
  }

  learnToken(token: string, of: { wallet: string; expiresMs: number }): void {
    this.tokens.set(token, of);
  }

  learnYield(at: { wallet: string; token: ModelToken; record: number }, differenceBase: bigint): void {
    const { checking, savings, history } = this.agent(at.wallet);
    checking[at.token] += differenceBase;
    this.chain.paidYield[at.token] += differenceBase;
    savings[at.token] = withMoreTaken(savings[at.token], differenceBase, this.index(at.token));
    const { amountBase, balanceAfterBase } = history.at(at.record);
    history.change(at.record, {
      amountBase: amountBase + differenceBase,
      balanceAfterBase: balanceAfterBase + differenceBase,
    });
  }

  /** The address where a wallet is paid by x402: a customer's collection address. Source: docs/reference/fidelity.md, x402. */
  paidAt(wallet: string): string {
    return this.agents.has(wallet) ? this.modelConfig.collectionOf(wallet) : wallet;
  }
}
