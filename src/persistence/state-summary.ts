import { SLOT_MS } from '../chain/slots.js';
import { isoOf } from '../core/domain/calendar.js';
import { owed } from '../core/domain/debt.js';
import type { Entry } from '../core/domain/entry.js';
import { type Token, tokenUnits } from '../core/domain/money.js';
import { yieldAt } from '../core/domain/savings.js';
import { type Agent, type Loan, holding } from '../core/domain/state.js';
import { entryJson } from '../runtime/events/event.js';
import { type PortableState, STATE_FORMAT } from './state-file/file.js';
import { fixedFeed } from '../world/feed.js';
import { KeyRing } from '../world/keys.js';
import { Oracle } from '../world/oracle.js';
import { devWallets, madeWallets } from '../runtime/dev-wallets.js';

/** Token units. */
export type Amounts = Readonly<Record<Token, number>>;

// An oracle requires feeds at first; those of the state replace them.
const ANY = { USDC: fixedFeed(0n), SOL: fixedFeed(0n) };

const usdc = (base: bigint) => tokenUnits('USDC', base);

function amounts(of: (token: Token) => bigint): Amounts {
  return { USDC: usdc(of('USDC')), SOL: tokenUnits('SOL', of('SOL')) };
}

/** What an agent's figures are computed with: the state's instant, its yield indices, and the secret keys by wallet. */
interface Known {
  readonly nowMs: number;
  readonly indexRay: (token: Token) => bigint;
  readonly keys: ReadonlyMap<string, string>;
}

function agentOf(agent: Agent, { nowMs, indexRay, keys }: Known) {
  const held = (account: 'checking' | 'pending' | 'uncollected') =>
    amounts((token) => holding(agent, account, token));
  return {
    wallet: agent.wallet,
    /** The key to sign in with; null for a wallet that is neither a dev wallet nor created by the world. */
    secretKey: keys.get(agent.wallet) ?? null,
    openedAt: isoOf(agent.openedAtMs),
    checking: held('checking'),
    /** Principal. */
    savings: amounts((token) => agent.savings[token].principalBase),
    /** Earned and not withdrawn, at the state's instant. */
    yieldEarned: amounts((token) => yieldAt(agent.savings[token], indexRay(token))),
    /** Reserved for transfers that are not settled on chain yet. */
    pending: held('pending'),
    /** Arrived at the collection address and not received yet. */
    uncollected: held('uncollected'),
    /** Principal and interest of the collateral loan, in USDC. */
    collateralDebt: agent.collateralDebt === null ? 0 : usdc(owed(agent.collateralDebt, nowMs)),
  };
}

function loanOf({ id, wallet, status, amountBase, debt, dueAtMs }: Loan, nowMs: number) {
  return {
    id,
    wallet,
    status,
    principal: usdc(amountBase),
    /** Principal and interest at the state's instant. */
    outstanding: debt === null ? 0 : usdc(owed(debt, nowMs)),
    dueDate: dueAtMs === null ? null : isoOf(dueAtMs),
  };
}

function entryOf(entry: Entry) {
  const { wallet, facts, postings } = entryJson(entry);
  return {
    entry: entry.seq,
    at: isoOf(entry.atMs),
    wallet,
    facts: facts as { readonly kind: string; readonly [name: string]: unknown },
    postings,
  };
}

/**
 * An agent in a state file.
 * @interface
 */
export type StateAgent = Readonly<ReturnType<typeof agentOf>>;

/**
 * A loan or application in a state file; amounts in USDC.
 * @interface
 */
export type StateLoan = Readonly<ReturnType<typeof loanOf>>;

/**
 * A journal entry in the form of the event log: postings in token units, debit positive.
 * @interface
 */
export type StateEntry = Readonly<ReturnType<typeof entryOf>>;

/**
 * What a state file contains.
 * @interface
 */
export type StateSummary = Readonly<ReturnType<typeof summaryOf>>;

/** Summarizes a state, with its last `entries` journal entries. */
export function summaryOf(state: PortableState, entries: number) {
  const { config, snapshot, secretSeed } = state;
  const { bank, ground, clock, faults } = snapshot;
  const { entries: journal, state: books } = bank.books;
  const { seq, agents, loans } = books;
  const { nowMs, slotMs, mode } = clock;
  const oracle = new Oracle({ apy: ANY, price: ANY }, nowMs);
  oracle.restore(snapshot.oracle);
  const indexRay = (token: Token) => oracle.yieldIndex(token, nowMs);
  const byAge = [...agents.values()].toSorted(
    (a, b) => a.openedAtMs - b.openedAtMs || (a.wallet < b.wallet ? -1 : 1),
  );
  const applications = [...loans.values()].toSorted((a, b) => a.createdSeq - b.createdSeq);
  const wallets = [
    ...devWallets(new KeyRing(config.seed)),
    ...madeWallets(config.seed, snapshot.walletsMade),
  ];
  const keys = new Map(wallets.map(({ address, secretKey }) => [address, secretKey]));
  const slot = ground.chain.extraSlots + Math.floor(slotMs / SLOT_MS);
  return {
    format: STATE_FORMAT,
    config,
    /** Whether it contains token and receipt secrets that do not derive from the seed. */
    hasKeys: secretSeed !== null,
    clock: { now: isoOf(nowMs), mode: mode.kind, slot },
    counts: {
      entries: seq,
      transactions: ground.chain.history.bySignature.size,
      agents: agents.size,
      loans: loans.size,
      faults: faults.faults.size,
    },
    /** In the order in which they became customers. */
    agents: byAge.map((agent) => agentOf(agent, { nowMs, indexRay, keys })),
    /** In the order of their applications. */
    loans: applications.map((loan) => loanOf(loan, nowMs)),
    /** The last entries of the journal, oldest first. */
    lastEntries: entries === 0 ? [] : journal.slice(-entries).map(entryOf).toArray(),
  };
}
