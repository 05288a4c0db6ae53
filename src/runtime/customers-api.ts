import { collateralStanding } from '../core/domain/collateral.js';
import { isoOf } from '../core/domain/calendar.js';
import { freesAt, prune } from '../core/domain/daily-window.js';
import type { OutflowKind, OwnedAccount } from '../core/domain/entry.js';
import { type PerToken, type Token, tokenUnits, usd } from '../core/domain/money.js';
import type { Env } from '../core/domain/ports.js';
import { publishedScore } from '../core/domain/queries/profile.js';
import { yieldAt } from '../core/domain/savings.js';
import type { Agent } from '../core/domain/state.js';
import { decimalRate } from '../core/domain/views.js';
import type { ScoredEvidence } from '../bank/credit-desk.js';
import type { ChainApi } from './chain-api.js';
import type { JournalApi, TokenAmounts } from './journal-api.js';
import type { LoanDesk } from './loan-desk.js';
import { NotFound } from './refusals.js';
import { CustomerList, type CustomerPage } from './inspection/customer-list.js';
import { PAGE_ROWS, cursorNumber } from './inspection/page.js';
import { type CustomerQuery, type HistoryQuery, checkQuery, historyQuery } from './inspection/queries.js';
import type { WorldParts } from './world-parts.js';

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
  async get(wallet: string) {
    const { bank, books, reviews, chain } = this.#parts;
    const scored = await bank.credit.score(this.#agent(wallet).wallet);
    const onChain = {
      wallet: unitsOf(await chain.balances(wallet)),
      collection: unitsOf(await chain.balances(this.#agent(wallet).collectionAddress)),
    };
    const agent = this.#agent(wallet);
    const env = bank.env();
    return {
      wallet,
      collectionAddress: agent.collectionAddress,
      openedAt: isoOf(agent.openedAtMs),
      identity: agent.identity,
      accounts: books.of(wallet) as TokenAmounts<OwnedAccount>,
      savings: { USDC: savingsIn('USDC', agent, env), SOL: savingsIn('SOL', agent, env) },
      limits: { withdraw: limitOf('withdraw', agent, env), x402: limitOf('x402', agent, env) },
      collateral: collateralOf(agent, env),
      score: scoreOf(scored, env),
      /** The newest 100. */
      loans: agent.loanIds
        .takeLast(MOST_LOANS)
        .toArray()
        .toReversed()
        .map((id) => reviews.loan(id)),
      /** The newest 20 records. */
      history: this.history(wallet, { limit: FIRST_RECORDS }).records,
      onChain,
      lastCall: this.#list.row(agent).lastCall,
    };
  }

  /** A page of a customer's history, newest first. Throws NotFound for an unknown wallet, RangeError for a bad query. */
  history(wallet: string, query: HistoryQuery = {}) {
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
}

function savingsIn(token: Token, { savings }: Agent, env: Env) {
  return {
    principal: tokenUnits(token, savings[token].principalBase),
    earned: tokenUnits(token, yieldAt(savings[token], env.yieldIndex(token))),
    apy: decimalRate(env.apyPpm(token)).toNumber(),
  };
}

function limitOf(kind: OutflowKind, { daily }: Agent, { nowMs, variants, terms }: Env) {
  const limit = terms.dailyMicro[kind];
  const window = prune(daily[kind], variants.dailyWindow, nowMs);
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
    /** When each part of the limit becomes available again, if nothing more is used; the first 1,000 instants. */
    frees: frees.map(({ atMs, usdMicro }) => ({ at: isoOf(atMs), usd: usd(usdMicro).toNumber() })),
  };
}

/** USDC; `borrowed` includes interest. */
function collateralOf(agent: Agent, env: Env) {
  const { limit, debt, available } = collateralStanding(agent, env);
  return {
    ltv: decimalRate(env.terms.ltvPpm).toNumber(),
    limit: tokenUnits('USDC', limit),
    borrowed: tokenUnits('USDC', debt),
    available: tokenUnits('USDC', available),
  };
}

function scoreOf({ score, evidence }: ScoredEvidence, env: Env) {
  const { pdBand, riskCategory, decision, subscores } = score;
  return {
    score: publishedScore(score.score, env),
    pdBand,
    riskCategory,
    decision,
    /** USD. */
    creditLimit: Number(score.creditLimitUsd),
    /** As a fraction. */
    apr: decimalRate(score.aprPpm).toNumber(),
    subscores,
    evidence: {
      sol: tokenUnits('SOL', evidence.lamports),
      transactions: evidence.totalTransactions,
      accountAgeDays: evidence.accountAgeDays,
      x: evidence.linkedX,
      github: evidence.linkedGithub,
      /** Checking plus savings minus debts, in USD. */
      holdings: usd(evidence.holdingsUsdMicro).toNumber(),
      tenureDays: evidence.tenureDays,
      repaidOnTime: evidence.repaidOnTime,
      late: evidence.late,
      defaulted: evidence.defaulted,
    },
  };
}

function unitsOf({ lamports, usdcBase }: { lamports: bigint; usdcBase: bigint }): PerToken<number> {
  return { USDC: tokenUnits('USDC', usdcBase), SOL: tokenUnits('SOL', lamports) };
}

/**
 * A daily limit of a customer, in USD.
 * @interface
 */
export type DailyLimitView = Readonly<ReturnType<typeof limitOf>>;

/**
 * A customer's score computed now, with its evidence.
 * @interface
 */
export type ScoreView = Readonly<ReturnType<typeof scoreOf>>;

/**
 * Everything about one customer at one instant; amounts in token units.
 * @interface
 */
export type CustomerView = Readonly<Awaited<ReturnType<CustomersApi['get']>>>;

/**
 * A record of a customer's history; amounts in token units.
 * @interface
 */
export type HistoryRecord = Readonly<ReturnType<CustomersApi['history']>['records'][number]>;
