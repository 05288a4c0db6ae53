import { collateralStanding } from '../core/domain/collateral.js';
import { isoOf } from '../core/domain/calendar.js';
import type { RiskCategory, CreditDecision } from '../core/domain/credit/score.js';
import { freesAt, prune } from '../core/domain/daily-window.js';
import type { OutflowKind, OwnedAccount } from '../core/domain/entry.js';
import { type PerToken, TOKENS, tokenUnits, usd } from '../core/domain/money.js';
import { publishedScore } from '../core/domain/queries/profile.js';
import type { TransactionView } from '../core/domain/queries/transactions.js';
import { yieldAt } from '../core/domain/savings.js';
import type { Agent } from '../core/domain/state.js';
import { decimalRate } from '../core/domain/views.js';
import type { ScoredEvidence } from '../bank/credit-desk.js';
import type { ChainApi } from './chain-api.js';
import type { JournalApi, TokenAmounts } from './journal-api.js';
import type { DeskLoan, LoanDesk } from './loan-desk.js';
import { NotFound } from './refusals.js';
import { CustomerList, type CustomerPage } from './inspection/customer-list.js';
import type { LastCall } from './inspection/last-calls.js';
import { PAGE_ROWS, cursorNumber } from './inspection/page.js';
import { type CustomerQuery, type HistoryQuery, checkQuery, historyQuery } from './inspection/queries.js';
import type { WorldParts } from './world-parts.js';

/** A daily limit of a customer, in USD. */
export interface DailyLimitView {
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  /** When each part of the limit becomes available again, if nothing more is used; the first 1,000 instants. */
  readonly frees: readonly { readonly at: string; readonly usd: number }[];
}

/** A customer's score computed now, with its evidence. */
export interface ScoreView {
  readonly score: number;
  readonly pdBand: string;
  readonly riskCategory: RiskCategory;
  readonly decision: CreditDecision;
  /** USD. */
  readonly creditLimit: number;
  /** As a fraction. */
  readonly apr: number;
  readonly subscores: ScoredEvidence['score']['subscores'];
  readonly evidence: {
    readonly sol: number;
    readonly transactions: number;
    readonly accountAgeDays: number;
    readonly x: boolean;
    readonly github: boolean;
    /** Checking plus savings minus debts, in USD. */
    readonly holdings: number;
    readonly tenureDays: number;
    readonly repaidOnTime: number;
    readonly late: number;
    readonly defaulted: number;
  };
}

/** A record of a customer's history; amounts in token units. */
export type HistoryRecord = Omit<TransactionView, 'amount' | 'balance_after'> & {
  readonly amount: number;
  readonly balance_after: number;
};

/** Everything about one customer at one instant; amounts in token units. */
export interface CustomerView {
  readonly wallet: string;
  readonly collectionAddress: string;
  readonly openedAt: string;
  readonly identity: Agent['identity'];
  readonly accounts: TokenAmounts<OwnedAccount>;
  readonly savings: PerToken<{ readonly principal: number; readonly earned: number; readonly apy: number }>;
  readonly limits: Readonly<Record<OutflowKind, DailyLimitView>>;
  /** USDC; `borrowed` includes interest. */
  readonly collateral: {
    readonly ltv: number;
    readonly limit: number;
    readonly borrowed: number;
    readonly available: number;
  };
  readonly score: ScoreView;
  /** The newest 100. */
  readonly loans: readonly DeskLoan[];
  /** The newest 20 records. */
  readonly history: readonly HistoryRecord[];
  readonly onChain: Readonly<Record<'wallet' | 'collection', PerToken<number>>>;
  readonly lastCall: LastCall | null;
}

const MOST_FREES = 1_000;
const MOST_LOANS = 100;
const FIRST_RECORDS = 20;

interface Parts extends Pick<WorldParts, 'bank' | 'events' | 'embedded'> {
  readonly books: JournalApi;
  readonly reviews: LoanDesk;
  readonly chain: ChainApi;
}

/** The bank's customers, for its operator. */
export class CustomersApi {
  readonly #parts: Parts;
  readonly #list: CustomerList;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#list = new CustomerList(parts);
  }

  /** A page of customers. Throws RangeError for a bad query, ClusterLimit for a sort by score on a cluster. */
  page(query: CustomerQuery = {}): CustomerPage {
    return this.#list.page(query);
  }

  /** Everything about one customer. Throws NotFound for an unknown wallet, ChainUnreachable on a cluster. */
  async get(wallet: string): Promise<CustomerView> {
    const { bank, books, reviews, chain } = this.#parts;
    const scored = await bank.credit.score(this.#agent(wallet).wallet);
    const onChain = {
      wallet: unitsOf(await chain.balances(wallet)),
      collection: unitsOf(await chain.balances(this.#agent(wallet).collectionAddress)),
    };
    const agent = this.#agent(wallet);
    return {
      wallet,
      collectionAddress: agent.collectionAddress,
      openedAt: isoOf(agent.openedAtMs),
      identity: agent.identity,
      accounts: books.of(wallet) as TokenAmounts<OwnedAccount>,
      savings: this.#savings(agent),
      limits: { withdraw: this.#limit(agent, 'withdraw'), x402: this.#limit(agent, 'x402') },
      collateral: this.#collateral(agent),
      score: this.#score(scored),
      loans: agent.loanIds
        .takeLast(MOST_LOANS)
        .toArray()
        .toReversed()
        .map((id) => reviews.loan(id)),
      history: this.history(wallet, { limit: FIRST_RECORDS }).records,
      onChain,
      lastCall: this.#list.row(agent).lastCall,
    };
  }

  /** A page of a customer's history, newest first. Throws NotFound for an unknown wallet, RangeError for a bad query. */
  history(
    wallet: string,
    query: HistoryQuery = {},
  ): { readonly records: readonly HistoryRecord[]; readonly next: string | null; readonly size: number } {
    checkQuery(query, historyQuery);
    const { type, token, cursor, limit = PAGE_ROWS } = query;
    this.#agent(wallet);
    const read = (page: { limit: number; offset: number }) =>
      this.#parts.bank.transactions({ wallet, type, token, ...page });
    const size = read({ limit: 0, offset: 0 }).pagination.total;
    // A history only grows at its newest end: the number of records that are left is the same whatever comes.
    const left = cursor === undefined ? size : cursorNumber(cursor, size - 1);
    const records = read({ limit, offset: size - left }).transactions.map((record) => ({
      ...record,
      amount: record.amount.toNumber(),
      balance_after: record.balance_after.toNumber(),
    }));
    const rest = left - records.length;
    return { records, next: rest === 0 ? null : `${rest}`, size };
  }

  #agent(wallet: string): Agent {
    const agent = this.#parts.bank.books.state.agents.get(wallet);
    if (agent !== undefined) return agent;
    throw new NotFound(
      'customer_not_found',
      `no customer has the wallet ${wallet}; a wallet becomes a customer when it first signs in`,
    );
  }

  #savings(agent: Agent): CustomerView['savings'] {
    const env = this.#parts.bank.env();
    const [USDC, SOL] = TOKENS.map((token) => ({
      principal: tokenUnits(token, agent.savings[token].principalBase),
      earned: tokenUnits(token, yieldAt(agent.savings[token], env.yieldIndex(token))),
      apy: decimalRate(env.apyPpm(token)).toNumber(),
    })) as [CustomerView['savings']['USDC'], CustomerView['savings']['SOL']];
    return { USDC, SOL };
  }

  #limit(agent: Agent, kind: OutflowKind): DailyLimitView {
    const { nowMs, variants, terms } = this.#parts.bank.env();
    const limit = terms.dailyMicro[kind];
    const window = prune(agent.daily[kind], variants.dailyWindow, nowMs);
    const left = limit - window.totalMicro;
    const frees: { atMs: number; usdMicro: bigint }[] = [];
    for (const { atMs, usdMicro } of window.uses) {
      const freeMs = freesAt(atMs, variants.dailyWindow);
      const last = frees.at(-1);
      if (last?.atMs === freeMs) last.usdMicro += usdMicro;
      else if (usdMicro > 0n && frees.length < MOST_FREES) frees.push({ atMs: freeMs, usdMicro });
      else if (frees.length === MOST_FREES) break;
    }
    return {
      limit: usd(limit).toNumber(),
      used: usd(window.totalMicro).toNumber(),
      left: usd(left > 0n ? left : 0n).toNumber(),
      frees: frees.map(({ atMs, usdMicro }) => ({ at: isoOf(atMs), usd: usd(usdMicro).toNumber() })),
    };
  }

  #collateral(agent: Agent): CustomerView['collateral'] {
    const env = this.#parts.bank.env();
    const { limit, debt, available } = collateralStanding(agent, env);
    return {
      ltv: decimalRate(env.terms.ltvPpm).toNumber(),
      limit: tokenUnits('USDC', limit),
      borrowed: tokenUnits('USDC', debt),
      available: tokenUnits('USDC', available),
    };
  }

  #score({ score, evidence }: ScoredEvidence): ScoreView {
    const { pdBand, riskCategory, decision, subscores } = score;
    return {
      score: publishedScore(score.score, this.#parts.bank.env()),
      pdBand,
      riskCategory,
      decision,
      creditLimit: Number(score.creditLimitUsd),
      apr: decimalRate(score.aprPpm).toNumber(),
      subscores,
      evidence: {
        sol: tokenUnits('SOL', evidence.lamports),
        transactions: evidence.totalTransactions,
        accountAgeDays: evidence.accountAgeDays,
        x: evidence.linkedX,
        github: evidence.linkedGithub,
        holdings: usd(evidence.holdingsUsdMicro).toNumber(),
        tenureDays: evidence.tenureDays,
        repaidOnTime: evidence.repaidOnTime,
        late: evidence.late,
        defaulted: evidence.defaulted,
      },
    };
  }
}

function unitsOf({ lamports, usdcBase }: { lamports: bigint; usdcBase: bigint }): PerToken<number> {
  return { USDC: tokenUnits('USDC', usdcBase), SOL: tokenUnits('SOL', lamports) };
}
