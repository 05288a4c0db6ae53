import { isDeepStrictEqual } from 'node:util';
import { firstWhere } from '../../core/bisect.js';
import { haveCommonPrefix, touchedSince } from '../../chain/history.js';
import { tokenAmount } from '../../chain/solana/token-accounts.js';
import { isoOf } from '../../core/domain/calendar.js';
import { ACCOUNTS, ACCOUNT_NAMES, type AccountName, OWNED_ACCOUNTS } from '../../core/domain/entry.js';
import { TOKENS, type Token, tokenUnits } from '../../core/domain/money.js';
import type { Agent, Balances, LoanStatus, State } from '../../core/domain/state.js';
import type { JournalSnapshot } from '../../core/journal/memory.js';
import { type SimEvent, entryJson, eventJson } from '../events/event.js';
import type { EventLog } from '../events/log.js';
import type { WorldSnapshot } from '../snapshot-store.js';

/** A world at one instant, with the log of its events. */
export interface Instant {
  readonly snapshot: WorldSnapshot;
  readonly events: EventLog;
  /** The number of the last event before the instant; null when it is not known. */
  readonly lastEvent: number | null;
  /** For a fork: the instant that it was made from. */
  readonly origin: ForkOrigin | null;
}

/** The log of a fork's parent, and the number of its last event before the instant that the fork was made from; null when it is not known. */
export interface ForkOrigin {
  readonly events: EventLog;
  readonly lastEvent: number | null;
}

/** The first rows of a list, and the number of all rows. */
export interface Some<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** A value at two instants. */
export interface Changed<T> {
  readonly from: T;
  readonly to: T;
}

/** Compares two instants, of one world or of a world and its fork; lists have at most `limit` rows. */
export function differencesOf(from: Instant, to: Instant, limit: number) {
  const [a, b] = [from.snapshot.bank.books, to.snapshot.bank.books];
  const common = commonEntries(a.entries, b.entries);
  const [eventsFrom, eventsTo] = eventsOf(from, to);
  const onlyThere = (entries: JournalSnapshot, events: EventSpan | null, log: EventLog) => ({
    entries: entriesAfter(entries, common, limit),
    /** `null` when these are unknown, or no longer in the log. */
    events: events === null ? null : someEvents(log, events, limit),
  });
  return {
    time: { from: isoOf(from.snapshot.clock.nowMs), to: isoOf(to.snapshot.clock.nowMs) },
    totals: changedBalances(a.state.totals, b.state.totals, ACCOUNT_NAMES),
    balances: some(changedAgents(a.state, b.state), limit),
    /** The status of loans; null where the loan does not exist. */
    loans: some(changedLoans(a.state, b.state), limit),
    /** SOL of an address, and the base units of a token account (its decimals are unknown here). */
    chain: some(changedAccounts(from.snapshot, to.snapshot), limit),
    /** How many entries both have. */
    commonEntries: common,
    onlyFrom: onlyThere(a.entries, eventsFrom, from.events),
    onlyTo: onlyThere(b.entries, eventsTo, to.events),
  };
}

/**
 * What differs between two instants; amounts in token units, positive on the account's normal side.
 * @interface
 */
export type Differences = Readonly<ReturnType<typeof differencesOf>>;

/**
 * What only one of the two instants has.
 * @interface
 */
export type OnlyThere = Differences['onlyFrom'];

function some<T>(rows: readonly T[], limit: number): Some<T> {
  return { count: rows.length, first: rows.slice(0, limit) };
}

function changedBalances<A extends AccountName>(
  a: Balances<A> | null,
  b: Balances<A> | null,
  accounts: readonly A[],
): (Changed<number> & { account: A; token: Token })[] {
  return accounts.flatMap((account) =>
    TOKENS.flatMap((token) => {
      const [before, after] = [a?.[account][token] ?? 0n, b?.[account][token] ?? 0n];
      if (before === after) return [];
      const sign = ACCOUNTS[account].side === 'debit' ? 1n : -1n;
      return [
        { account, token, from: tokenUnits(token, sign * before), to: tokenUnits(token, sign * after) },
      ];
    }),
  );
}

function changedAgents(a: State, b: State) {
  if (a.agents === b.agents) return [];
  const changed = (agent: Agent | null, other: Agent | null) =>
    changedBalances(agent?.balances ?? null, other?.balances ?? null, OWNED_ACCOUNTS).map((change) => ({
      wallet: (agent ?? (other as Agent)).wallet,
      ...change,
    }));
  const rows = [];
  for (const [wallet, agent] of a.agents) {
    const other = b.agents.get(wallet) ?? null;
    if (agent !== other) rows.push(...changed(agent, other));
  }
  for (const [wallet, agent] of b.agents) if (!a.agents.has(wallet)) rows.push(...changed(null, agent));
  return rows;
}

function changedLoans(a: State, b: State) {
  const rows: (Changed<LoanStatus | null> & { loanId: string; wallet: string })[] = [];
  if (a.loans === b.loans) return rows;
  for (const [loanId, { wallet, status }] of a.loans) {
    const to = b.loans.get(loanId)?.status ?? null;
    if (to !== status) rows.push({ loanId, wallet, from: status, to });
  }
  for (const [loanId, { wallet, status }] of b.loans)
    if (!a.loans.has(loanId)) rows.push({ loanId, wallet, from: null, to: status });
  return rows;
}

function changedAccounts({ ground: { chain: a } }: WorldSnapshot, { ground: { chain: b } }: WorldSnapshot) {
  const addresses = haveCommonPrefix(a.history, b.history)
    ? touchedSince(a.history, b.history)
    : new Set([...a.accounts.keys(), ...b.accounts.keys()]);
  const rows: { address: string; SOL: Changed<number>; tokenBase: Changed<string> }[] = [];
  for (const address of [...addresses].toSorted()) {
    const [before, after] = [a.accounts.get(address) ?? null, b.accounts.get(address) ?? null];
    const lamports = { from: before?.lamports ?? 0n, to: after?.lamports ?? 0n };
    const tokens = { from: tokenAmount(before), to: tokenAmount(after) };
    if (lamports.from === lamports.to && tokens.from === tokens.to) continue;
    rows.push({
      address,
      SOL: { from: tokenUnits('SOL', lamports.from), to: tokenUnits('SOL', lamports.to) },
      tokenBase: { from: `${tokens.from}`, to: `${tokens.to}` },
    });
  }
  return rows;
}

/** The number of leading entries that two journals have in common. */
function commonEntries(a: JournalSnapshot, b: JournalSnapshot): number {
  const least = Math.min(a.size, b.size);
  if (a.first() !== b.first()) {
    let common = 0;
    while (common < least && isDeepStrictEqual(a.get(common), b.get(common))) common += 1;
    return common;
  }
  // Entries are unique objects and journals only grow at the end, so the common part can be found by bisection.
  return firstWhere(least, (at) => a.get(at) !== b.get(at));
}

function entriesAfter(entries: JournalSnapshot, common: number, limit: number) {
  const first = entries
    .slice(common, common + limit)
    .map((entry) => ({ ...entryJson(entry), at: isoOf(entry.atMs), kind: entry.facts.kind }));
  return { count: entries.size - common, first: first.toArray() };
}

/** The events after one number, up to another. */
interface EventSpan {
  readonly after: number;
  readonly until: number;
}

/** The events that only one of two instants includes. */
function eventsOf(from: Instant, to: Instant): readonly [EventSpan | null, EventSpan | null] {
  if (from.lastEvent === null || to.lastEvent === null) return [null, null];
  if (from.events === to.events) {
    const between = (after: number, until: number) => ({ after, until: Math.max(after, until) });
    return [between(to.lastEvent, from.lastEvent), between(from.lastEvent, to.lastEvent)];
  }
  return [ownEvents(from, to, from.lastEvent), ownEvents(to, from, to.lastEvent)];
}

/** The events of a fork's parent since the fork, or all events of a fork; null for other instants, which have no common log. */
function ownEvents({ events, origin }: Instant, other: Instant, until: number): EventSpan | null {
  if (other.origin?.events !== events) return origin === null ? null : { after: 0, until };
  const { lastEvent: after } = other.origin;
  return after === null ? null : { after, until: Math.max(after, until) };
}

function someEvents(log: EventLog, { after, until }: EventSpan, limit: number) {
  if (until > after && log.oldest > after + 1) return null;
  const first: SimEvent[] = [];
  for (let seq = after + 1; seq <= until && first.length < limit; seq += 1) {
    const event = log.at(seq);
    if (event !== null) first.push(event);
  }
  return { count: until - after, first: first.map(eventJson) };
}
