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
  readonly wallet: string;
  readonly record: number;
  readonly use: Use;
  /** Null if it has not been sent. */
  readonly transfer: InFlight | null;
}

/** Savings moving to or from the lending protocol, or the sweep of a collection address, while the bank does not know the outcome. */
export interface Move extends BankTransfer {
  readonly kind: 'savings' | 'sweep';
  readonly transfer: InFlight;
}

export type Waiting = Outflow | Move;

/** The stored response to a call with an Idempotency-Key. */
export interface Kept {
  readonly atMs: number;
  /** The call as text, without unknown members. */
  readonly call: string;
  readonly body: Tree;
  /** The record of a payment that was not completed at the time of the response, and whose outcome decides the response. Null for none. */
  readonly underWay: RecordPlace | null;
}

/** A call in progress with an Idempotency-Key. */
export interface Running {
  readonly call: string;
  /** Null until it ends. */
  verdict: Verdict | null;
}

export class Books implements Memory {
  readonly modelConfig: ModelConfig;
  nowMs: number;
  readonly oracle: OracleView;
  readonly schedule: Schedule;
  readonly agents: Map<string, Agent>;
  readonly tokens: CopyOnWriteMap<{ readonly wallet: string; readonly expiresMs: number }>;
  readonly challenges: CopyOnWriteMap<Challenge>;
  readonly transactions: CopyOnWriteMap<KnownTransaction>;
  /** Transactions that count as unconfirmed, with the instant at which that ends. */
  readonly held: CopyOnWriteMap<number>;
  /** Signatures that were recorded, for any purpose. */
  readonly recorded: CopyOnWriteMap<true>;
  /** By wallet and key. */
  readonly kept: CopyOnWriteMap<Kept>;
  /** Calls in progress by wallet and key. No copy is taken while calls overlap. */
  readonly running = new Map<string, Running>();
  /** Withdrawals and payments that wait for the treasury to be supplied, the current one first. */
  readonly supplying: object[] = [];
  /** Addresses being prepared for payment requests: `<token> <address>`. */
  readonly preparing = new Set<string>();
  /** Paid payment requests, by all members that identify one, with the record of the payment. */
  readonly paidRequests: CopyOnWriteMap<RecordPlace>;
  /**
   * Unsettled transfers in the order in which they were reserved or sent, by wallet and index of the record, or by kind, token and wallet.
   */
  readonly waiting: Map<string, Waiting>;
  readonly sent: Map<string, BaseAmounts>;
  readonly chain: ChainCount;
  /** Shared by all copies, since its contents depend on addresses only. */
  readonly tokenAccounts: TokenAccounts;
  reviewPolicy: ReviewPolicy;
  /** The instant up to which collateral loans were assessed, and changes of rates and prices reported. */
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

  /** Opens an account if it does not exist. Source: docs/reference/fidelity.md, Signing in. */
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

  /** Records a successful transfer of the bank. Returns its cost in lamports in addition to the amount. */
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

  /** The address that receives a wallet's x402 payments: a customer's collection address. Source: docs/reference/fidelity.md, x402. */
  paidAt(wallet: string): string {
    return this.agents.has(wallet) ? this.modelConfig.collectionOf(wallet) : wallet;
  }
}
