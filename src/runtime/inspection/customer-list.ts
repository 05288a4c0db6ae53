import { firstWhere } from '../../core/bisect.js';
import { isoOf } from '../../core/domain/calendar.js';
import { collateralStanding } from '../../core/domain/collateral.js';
import { creditOwed } from '../../core/domain/credit/terms.js';
import { type PerToken, TOKENS, type Token, tokenUnits, usdValueUp } from '../../core/domain/money.js';
import type { Env } from '../../core/domain/ports.js';
import { publishedScore } from '../../core/domain/queries/profile.js';
import { type Agent, type State, holding } from '../../core/domain/state.js';
import { LastCalls } from './last-calls.js';
import { MOST_LOOKED_AT, PAGE_ROWS } from './page.js';
import { type CustomerQuery, checkQuery, customerQuery } from './queries.js';
import { ClusterLimit } from '../refusals.js';
import type { WorldParts } from '../world-parts.js';

type CustomerSort = NonNullable<CustomerQuery['sort']>;

interface Ranked {
  readonly value: number;
  readonly wallet: string;
}

function compare(a: Ranked, b: Ranked): number {
  if (a.value !== b.value) return a.value - b.value;
  return a.wallet < b.wallet ? -1 : a.wallet > b.wallet ? 1 : 0;
}

/** An order of all customers, and what it was computed from. */
interface Ranking {
  readonly basis: readonly unknown[];
  readonly ranked: readonly Ranked[];
}

/**
 * Lists customers by page. A cursor names the last row of a page, not a position: a new customer or a changed figure
 * moves no other row across it.
 */
export class CustomerList {
  readonly #bank: WorldParts['bank'];
  readonly #lastCalls: LastCalls;
  readonly #rankings = new Map<CustomerSort, Ranking>();
  readonly #embedded: WorldParts['embedded'];

  constructor(parts: Pick<WorldParts, 'bank' | 'events' | 'embedded'>) {
    this.#bank = parts.bank;
    this.#lastCalls = new LastCalls(parts.events);
    this.#embedded = parts.embedded;
  }

  /** A page of customers. Throws RangeError for a bad query, ClusterLimit for scores on a cluster. */
  page(query: CustomerQuery) {
    checkQuery(query, customerQuery);
    const { sort = 'opened', order = 'desc', limit = PAGE_ROWS, cursor } = query;
    const { state } = this.#bank.books;
    const env = this.#bank.env();
    const ranked = this.#ranking(sort, state, env);
    const step = order === 'desc' ? -1 : 1;
    const after = cursor === undefined ? null : decoded(cursor, sort, state);
    let at = after === null ? (step < 0 ? ranked.length - 1 : 0) : neighbour(ranked, after, step);
    const search = query.search?.toLowerCase() ?? '';
    const customers: CustomerRow[] = [];
    for (let looked = 0; customers.length < limit && looked < MOST_LOOKED_AT; looked += 1, at += step) {
      const found = ranked[at];
      if (found === undefined) break;
      const agent = state.agents.get(found.wallet) as Agent;
      const isMatch =
        search === '' ||
        agent.wallet.toLowerCase().includes(search) ||
        agent.collectionAddress.toLowerCase().includes(search);
      if (isMatch) customers.push(this.#row(agent, state, env));
    }
    const last = ranked[at - step];
    return {
      customers,
      /** The `cursor` of the next page; null at the end. */
      next: ranked[at] === undefined || last === undefined ? null : encoded(sort, last),
      size: ranked.length,
    };
  }

  row(agent: Agent) {
    this.#lastCalls.refresh();
    return this.#row(agent, this.#bank.books.state, this.#bank.env());
  }

  #ranking(sort: CustomerSort, state: State, env: Env): readonly Ranked[] {
    const basis = this.#basisOf(sort, state, env);
    const known = this.#rankings.get(sort);
    if (known?.basis.every((part, at) => part === basis[at]) === true) return known.ranked;
    const valueOf = this.#valueOf(sort, state, env);
    const ranked = Array.from(state.agents.values(), (agent) => ({
      value: valueOf(agent),
      wallet: agent.wallet,
    })).toSorted(compare);
    this.#rankings.set(sort, { basis, ranked });
    return ranked;
  }

  /** The inputs of an order. `collections` changes only when a customer is opened. */
  #basisOf(sort: CustomerSort, { agents, collections, loans }: State, env: Env): unknown[] {
    const lastEvent = this.#lastCalls.refresh();
    const prices = TOKENS.map((token) => env.priceE8(token));
    switch (sort) {
      case 'opened':
        return [collections];
      case 'balance':
      case 'savings':
        return [agents, ...prices];
      case 'debt':
        return [agents, loans, env.nowMs];
      case 'score':
        return [agents, ...prices, loans, env.nowMs, this.#embedded?.chain.touchedAccounts()];
      case 'lastCall':
        return [collections, lastEvent];
    }
  }

  #valueOf(sort: CustomerSort, state: State, env: Env): (agent: Agent) => number {
    const usdOf = ({ USDC, SOL }: PerToken<bigint>) =>
      Number(usdValueUp(USDC, 'USDC', env.priceE8('USDC')) + usdValueUp(SOL, 'SOL', env.priceE8('SOL')));
    switch (sort) {
      case 'opened':
        return ({ openedAtMs }) => openedAtMs;
      case 'balance':
        return (agent) => usdOf(checkingOf(agent));
      case 'savings':
        return ({ savings }) => usdOf({ USDC: savings.USDC.principalBase, SOL: savings.SOL.principalBase });
      case 'debt':
        return (agent) => Number(debtOf(agent, state, env));
      case 'score':
        return (agent) => this.#scoreOf(agent, env) ?? notOnCluster();
      case 'lastCall':
        return ({ wallet }) => this.#lastCalls.of(wallet)?.event ?? 0;
    }
  }

  #scoreOf(agent: Agent, env: Env): number | null {
    return this.#bank.credit.scoreNow(agent, env)?.score.score ?? null;
  }

  #row(agent: Agent, state: State, env: Env) {
    const { wallet, openedAtMs, savings, loanIds } = agent;
    const score = this.#scoreOf(agent, env);
    const saved = (token: Token) => tokenUnits(token, savings[token].principalBase);
    const checking = checkingOf(agent);
    return {
      wallet,
      openedAt: isoOf(openedAtMs),
      checking: { USDC: tokenUnits('USDC', checking.USDC), SOL: tokenUnits('SOL', checking.SOL) },
      savings: { USDC: saved('USDC'), SOL: saved('SOL') },
      /** Debt of collateral loans and credit lines, with interest, in USDC. */
      debt: tokenUnits('USDC', debtOf(agent, state, env)),
      /** `null` on a cluster. */
      score: score === null ? null : publishedScore(score, env),
      loans: loanIds.size,
      /** `null` when the event log no longer has one. */
      lastCall: this.#lastCalls.of(wallet),
    };
  }
}

/**
 * A customer in a list; amounts in token units.
 * @interface
 */
export type CustomerRow = Readonly<ReturnType<CustomerList['row']>>;

/**
 * A page of customers.
 * @interface
 */
export type CustomerPage = Readonly<ReturnType<CustomerList['page']>>;

function notOnCluster(): never {
  throw new ClusterLimit('read');
}

function checkingOf(agent: Agent): PerToken<bigint> {
  return { USDC: holding(agent, 'checking', 'USDC'), SOL: holding(agent, 'checking', 'SOL') };
}

function debtOf(agent: Agent, state: State, env: Env): bigint {
  return collateralStanding(agent, env).debt + creditOwed(state, agent, env.nowMs);
}

/** The position of the row after another row, in an ascending list, even if that row is no longer in it. */
function neighbour(ranked: readonly Ranked[], after: Ranked, step: number): number {
  const at = firstWhere(ranked.length, (index) => {
    const order = compare(ranked[index] as Ranked, after);
    return step < 0 ? order >= 0 : order > 0;
  });
  return step < 0 ? at - 1 : at;
}

function encoded(sort: CustomerSort, { value, wallet }: Ranked): string {
  return Buffer.from(JSON.stringify([sort, value, wallet])).toString('base64url');
}

function decoded(cursor: string, sort: CustomerSort, { agents }: State): Ranked {
  try {
    const given: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(given) && given.length === 3) {
      const [of, value, wallet] = given as unknown[];
      if (of === sort && typeof value === 'number' && typeof wallet === 'string' && agents.has(wallet))
        return { value, wallet };
    }
  } catch {
    // Reported below.
  }
  throw new RangeError('cursor: not issued by this list for this sort; leave it out for the first page');
}
