import { SLOT_MS } from '../chain/slots.js';
import { isoOf } from '../core/domain/calendar.js';
import { owed } from '../core/domain/debt.js';
import type { Entry } from '../core/domain/entry.js';
import { type Token, tokenUnits } from '../core/domain/money.js';
import { yieldAt } from '../core/domain/savings.js';
import { type Agent, type Loan, holding } from '../core/domain/state.js';
import { eventJson } from '../runtime/events/event.js';
import { type PortableState, STATE_FORMAT, type StateConfig } from './state-file/file.js';
import { fixedFeed } from '../world/feed.js';
import { KeyRing } from '../world/keys.js';
import { Oracle } from '../world/oracle.js';
import { devWallets, madeWallets } from '../runtime/dev-wallets.js';

/** Token units. */
export type Amounts = Readonly<Record<Token, number>>;

export interface StateAgent {
  readonly wallet: string;
  /** The key to sign in with; null for a wallet that is neither a dev wallet nor created by the world. */
  readonly secretKey: string | null;
  readonly openedAt: string;
  readonly checking: Amounts;
  /** Principal. */
  readonly savings: Amounts;
  /** Earned and not withdrawn, at the state's instant. */
  readonly yieldEarned: Amounts;
  /** Reserved for transfers that are not settled on chain yet. */
  readonly pending: Amounts;
  /** Arrived at the collection address and not received yet. */
  readonly uncollected: Amounts;
  /** Principal and interest of the collateral loan, in USDC. */
  readonly collateralDebt: number;
}

/** A loan or application in a state file; amounts in USDC. */
export interface StateLoan {
  readonly id: string;
  readonly wallet: string;
  readonly status: Loan['status'];
  readonly principal: number;
  /** Principal and interest at the state's instant. */
  readonly outstanding: number;
  readonly dueDate: string | null;
}

/** A journal entry in the form of the event log: postings in token units, debit positive. */
export interface StateEntry {
  readonly entry: number;
  readonly at: string;
  readonly wallet: string | null;
  readonly facts: { readonly kind: string; readonly [name: string]: unknown };
  readonly postings: readonly object[];
}

export interface StateSummary {
  readonly format: number;
  readonly config: StateConfig;
  /** Whether it contains token and receipt secrets that do not derive from the seed. */
  readonly hasKeys: boolean;
  readonly clock: { readonly now: string; readonly mode: string; readonly slot: number };
  readonly counts: {
    readonly entries: number;
    readonly transactions: number;
    readonly agents: number;
    readonly loans: number;
    readonly faults: number;
  };
  /** In the order in which they became customers. */
  readonly agents: readonly StateAgent[];
  /** In the order of their applications. */
  readonly loans: readonly StateLoan[];
  /** The last entries of the journal, oldest first. */
  readonly lastEntries: readonly StateEntry[];
}

// An oracle requires feeds at first; those of the state replace them.
const ANY = { USDC: fixedFeed(0n), SOL: fixedFeed(0n) };

const usdc = (base: bigint) => tokenUnits('USDC', base);

function amounts(of: (token: Token) => bigint): Amounts {
  return { USDC: usdc(of('USDC')), SOL: tokenUnits('SOL', of('SOL')) };
}

function agentOf(
  agent: Agent,
  {
    nowMs,
    indexRay,
    keys,
  }: { nowMs: number; indexRay: (token: Token) => bigint; keys: ReadonlyMap<string, string> },
): StateAgent {
  const held = (account: 'checking' | 'pending' | 'uncollected') =>
    amounts((token) => holding(agent, account, token));
  return {
    wallet: agent.wallet,
    secretKey: keys.get(agent.wallet) ?? null,
    openedAt: isoOf(agent.openedAtMs),
    checking: held('checking'),
    savings: amounts((token) => agent.savings[token].principalBase),
    yieldEarned: amounts((token) => yieldAt(agent.savings[token], indexRay(token))),
    pending: held('pending'),
    uncollected: held('uncollected'),
    collateralDebt: agent.collateralDebt === null ? 0 : usdc(owed(agent.collateralDebt, nowMs)),
  };
}

function loanOf({ id, wallet, status, amountBase, debt, dueAtMs }: Loan, nowMs: number): StateLoan {
  return {
    id,
    wallet,
    status,
    principal: usdc(amountBase),
    outstanding: debt === null ? 0 : usdc(owed(debt, nowMs)),
    dueDate: dueAtMs === null ? null : isoOf(dueAtMs),
  };
}

function entryOf(entry: Entry): StateEntry {
  const body = { kind: 'entry', entry } as const;
  const json = eventJson({ seq: entry.seq, atMs: entry.atMs, requestId: null, body });
  const { wallet, facts, postings } = json as unknown as StateEntry;
  return { entry: entry.seq, at: isoOf(entry.atMs), wallet, facts, postings };
}

/** Summarizes a state, with its last `entries` journal entries. */
export function summaryOf(state: PortableState, entries: number): StateSummary {
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
    hasKeys: secretSeed !== null,
    clock: { now: isoOf(nowMs), mode: mode.kind, slot },
    counts: {
      entries: seq,
      transactions: ground.chain.history.bySignature.size,
      agents: agents.size,
      loans: loans.size,
      faults: faults.faults.size,
    },
    agents: byAge.map((agent) => agentOf(agent, { nowMs, indexRay, keys })),
    loans: applications.map((loan) => loanOf(loan, nowMs)),
    lastEntries: entries === 0 ? [] : journal.slice(-entries).map(entryOf).toArray(),
  };
}
