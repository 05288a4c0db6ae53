import { List, type Map as PMap } from 'immutable';
import { DAY_MS, startOfUtcDay } from './calendar.js';
import { defaultsAtMs } from './credit/terms.js';
import { addUse, giveBack, prune } from './daily-window.js';
import { type Debt, lend, openDebt, settle } from './debt.js';
import { type DueItem, type DueTask, addDue, dropDue } from './due.js';
import type { AccountName, Entry, EntryDraft, Facts, OwnedAccount, Posting } from './entry.js';
import { ACCOUNTS } from './entry.js';
import { historyLine, isCreditType } from './history.js';
import { customer } from './inputs.js';
import type { PerToken, Token } from './money.js';
import { addSavings, removeSavings } from './savings.js';
import {
  type Agent,
  type Balances,
  type Loan,
  type State,
  holding,
  loanOf,
  newAgent,
  outflowOf,
  requestKey,
} from './state.js';

type FactsOf<K extends Facts['kind']> = Extract<Facts, { kind: K }>;

export function toEntry(state: State, draft: EntryDraft, atMs: number): Entry {
  const { wallet, facts, postings } = draft;
  const entry = {
    seq: state.seq + 1,
    atMs,
    wallet,
    facts,
    postings,
    balanceAfterBase: null as bigint | null,
  };
  const line = wallet === null ? null : historyLine(entry);
  if (line === null) return entry;
  let balance = holding(customer(state, wallet), 'checking', line.token);
  for (const posting of postings) {
    if (posting.account === 'checking' && posting.owner === wallet && posting.token === line.token) {
      balance -= posting.amountBase;
    }
  }
  entry.balanceAfterBase = balance;
  return entry;
}

/** Folds one more entry into the books. Pure: `state` is not modified. Throws for an entry out of sequence. */
export function apply(state: State, entry: Entry): State {
  if (entry.seq !== state.seq + 1) throw new Error(`entry ${entry.seq} does not follow ${state.seq}`);
  const next: Writable<State> = { ...state, seq: entry.seq };
  if (entry.facts.kind === 'customer.opened') {
    const wallet = entry.wallet as string;
    next.agents = next.agents.set(wallet, newAgent(wallet, entry.facts.collectionAddress, entry.atMs));
    next.collections = next.collections.set(entry.facts.collectionAddress, wallet);
  }
  if (entry.postings.length > 0) post(next, entry.postings);
  fold(next, entry);
  index(next, entry);
  return next;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function add(amounts: PerToken<bigint>, token: Token, delta: bigint): PerToken<bigint> {
  return token === 'USDC'
    ? { USDC: amounts.USDC + delta, SOL: amounts.SOL }
    : { USDC: amounts.USDC, SOL: amounts.SOL + delta };
}

function post(next: Writable<State>, postings: readonly Posting[]): void {
  const totals: Writable<Balances<AccountName>> = { ...next.totals };
  let open: { agent: Agent; balances: Writable<Balances<OwnedAccount>> } | null = null;
  for (const { account, owner, token, amountBase } of postings) {
    totals[account] = add(totals[account], token, amountBase);
    if (owner === null) continue;
    if (open === null || open.agent.wallet !== owner) {
      close(next, open);
      const agent = customer(next, owner);
      open = { agent, balances: { ...agent.balances } };
    }
    const owned = account as OwnedAccount;
    const after = add(open.balances[owned], token, amountBase);
    const side = ACCOUNTS[owned].side;
    if (side === 'credit' ? after[token] > 0n : after[token] < 0n) {
      throw new Error(`the account ${owned} of ${owner} would be overdrawn by ${after[token]} ${token}`);
    }
    open.balances[owned] = after;
  }
  close(next, open);
  next.totals = totals;
}

function close(next: Writable<State>, open: { agent: Agent; balances: Balances<OwnedAccount> } | null): void {
  if (open !== null)
    next.agents = next.agents.set(open.agent.wallet, { ...open.agent, balances: open.balances });
}

function schedule(next: Writable<State>, atMs: number, task: DueTask): void {
  next.due = addDue(next.due, { atMs, seq: next.seq, task });
}

function patchAgent(next: Writable<State>, wallet: string | null, patch: Partial<Agent>): void {
  const agent = customer(next, wallet);
  next.agents = next.agents.set(agent.wallet, { ...agent, ...patch });
}

function fold(next: Writable<State>, entry: Entry): void {
  const { facts } = entry;
  switch (facts.kind) {
    case 'bank.opened':
    case 'customer.opened':
    case 'chain.arrived':
    case 'collection.opened':
    case 'collection.swept':
      return;
    case 'identity.linked':
      return patchAgent(next, entry.wallet, { identity: { x: facts.x, github: facts.github } });
    // Lamports that the bank sends to an address are not a payment to its customer.
    case 'fees.paid':
    case 'deposit':
    case 'x402.received':
      next.recorded = next.recorded.set(facts.signature, entry.seq);
      return;
    case 'savings.deposit':
    case 'savings.withdraw':
      return foldSavings(next, entry, facts);
    case 'savings.settled':
      next.settlementScheduled = false;
      return;
    case 'collateral.borrow': {
      const agent = customer(next, entry.wallet);
      const debt = agent.collateralDebt ?? openDebt(facts.aprPpm, entry.atMs);
      return patchAgent(next, entry.wallet, { collateralDebt: lend(debt, facts.amountBase, entry.atMs) });
    }
    case 'collateral.repay': {
      const agent = customer(next, entry.wallet);
      if (agent.collateralDebt === null) throw new Error('there is no collateral debt to repay');
      const debt = settle(agent.collateralDebt, facts, entry.atMs);
      const closed = debt.principalBase === 0n && debt.interestUnits === 0n;
      return patchAgent(next, entry.wallet, { collateralDebt: closed ? null : debt });
    }
    case 'collateral.liquidated':
      foldSavings(next, entry, facts);
      return patchAgent(next, entry.wallet, { collateralDebt: null });
    case 'outflow.pending':
    case 'outflow.posted':
    case 'outflow.voided':
      return foldOutflow(next, entry, facts);
    case 'loan.applied':
    case 'loan.approved':
    case 'loan.denied':
    case 'loan.called':
    case 'loan.overdue':
    case 'loan.charged':
    case 'loan.defaulted':
    case 'loan.set_off':
    case 'loan.cured':
    case 'loan.repaid':
      return foldLoan(next, entry, facts);
  }
}

function foldSavings(
  next: Writable<State>,
  entry: Entry,
  facts: FactsOf<'savings.deposit'> | FactsOf<'savings.withdraw'> | FactsOf<'collateral.liquidated'>,
): void {
  const agent = customer(next, entry.wallet);
  const token = facts.kind === 'collateral.liquidated' ? 'USDC' : facts.token;
  const change = facts.kind === 'savings.deposit' ? addSavings : removeSavings;
  const position = change(agent.savings[token], facts.amountBase, facts.indexRay);
  patchAgent(next, entry.wallet, { savings: { ...agent.savings, [token]: position } });
  if (!next.settlementScheduled) {
    next.settlementScheduled = true;
    schedule(next, startOfUtcDay(entry.atMs) + DAY_MS, { kind: 'savings.settle' });
  }
}

/** `State.paidRequests` with one more payment. */
export function withPayment(
  paid: State['paidRequests'],
  key: string,
  outflow: number,
): State['paidRequests'] {
  return paid.set(key, (paid.get(key) ?? List<number>()).push(outflow));
}

function foldOutflow(
  next: Writable<State>,
  entry: Entry,
  facts: FactsOf<'outflow.pending'> | FactsOf<'outflow.posted'> | FactsOf<'outflow.voided'>,
): void {
  const agent = customer(next, entry.wallet);
  if (facts.kind === 'outflow.pending') {
    const { terms } = facts;
    next.outflows = next.outflows.set(entry.seq, {
      id: entry.seq,
      wallet: agent.wallet,
      terms,
      atMs: entry.atMs,
      status: 'pending',
      signature: null,
      reason: null,
    });
    next.openOutflows = next.openOutflows.set(entry.seq, true);
    const key = requestKey(terms);
    if (key !== null) next.paidRequests = withPayment(next.paidRequests, key, entry.seq);
    const use = { outflow: entry.seq, atMs: entry.atMs, usdMicro: terms.usdMicro };
    patchAgent(next, agent.wallet, {
      daily: {
        ...agent.daily,
        [terms.type]: addUse(prune(agent.daily[terms.type], 'rolling-24h', entry.atMs), use),
      },
    });
    if (terms.executeAtMs !== null) {
      schedule(next, terms.executeAtMs, { kind: 'withdrawal.execute', outflow: entry.seq });
    }
    return;
  }
  const outflow = outflowOf(next, facts.outflow);
  if (outflow.status !== 'pending') throw new Error(`outflow ${facts.outflow} is not pending`);
  next.openOutflows = next.openOutflows.delete(facts.outflow);
  if (facts.kind === 'outflow.posted') {
    next.outflows = next.outflows.set(outflow.id, {
      ...outflow,
      status: 'completed',
      signature: facts.signature,
    });
    next.settledBy = next.settledBy.set(facts.signature, outflow.id);
    return;
  }
  next.outflows = next.outflows.set(outflow.id, { ...outflow, status: 'failed', reason: facts.reason });
  const key = requestKey(outflow.terms);
  const paying = key === null ? undefined : next.paidRequests.get(key);
  if (key !== null && paying !== undefined) {
    const left = paying.filter((id) => id !== outflow.id);
    next.paidRequests = left.isEmpty() ? next.paidRequests.delete(key) : next.paidRequests.set(key, left);
  }
  const { type } = outflow.terms;
  const daily = { ...agent.daily, [type]: giveBack(agent.daily[type], outflow.id) };
  patchAgent(next, agent.wallet, { daily });
}

type LoanFacts = Extract<Facts, { kind: `loan.${string}` }>;

function foldLoan(next: Writable<State>, entry: Entry, facts: LoanFacts): void {
  if (facts.kind === 'loan.applied') {
    const { kind: _, loanId: id, ...terms } = facts;
    const loan = {
      ...terms,
      id,
      wallet: entry.wallet as string,
      createdAtMs: entry.atMs,
      createdSeq: entry.seq,
    };
    const undecided = { decidedAtMs: null, reason: null, dueAtMs: null, debt: null };
    next.loans = next.loans.set(id, { ...loan, ...undecided, record: 'clean' });
    const agent = customer(next, entry.wallet);
    patchAgent(next, entry.wallet, { loanIds: agent.loanIds.push(id) });
    if (facts.status === 'pending_review' && facts.decideAtMs !== null) {
      schedule(next, facts.decideAtMs, { kind: 'review.decide', loanId: id });
    }
    return;
  }
  const loan = loanOf(next, facts.loanId);
  next.loans = next.loans.set(loan.id, foldLoanStep(next, entry, facts, loan));
}

function foldLoanStep(
  next: Writable<State>,
  entry: Entry,
  facts: Exclude<LoanFacts, { kind: 'loan.applied' }>,
  loan: Loan,
): Loan {
  switch (facts.kind) {
    case 'loan.denied':
      return { ...loan, status: 'denied', decidedAtMs: entry.atMs, reason: facts.reason };
    case 'loan.approved': {
      schedule(next, facts.dueAtMs, { kind: 'loan.due', loanId: loan.id });
      const debt = lend(openDebt(loan.aprPpm, entry.atMs), loan.amountBase, entry.atMs);
      const decided = { decidedAtMs: entry.atMs, reason: facts.reason, dueAtMs: facts.dueAtMs };
      return { ...loan, ...decided, status: 'active', debt };
    }
    case 'loan.called':
      return { ...loan, dueAtMs: facts.dueAtMs };
    case 'loan.overdue':
      schedule(next, defaultsAtMs(loan), { kind: 'loan.default', loanId: loan.id });
      return { ...loan, status: 'overdue', record: loan.record === 'clean' ? 'overdue' : loan.record };
    case 'loan.charged':
      return { ...loan, debt: lend(debtOf(loan), facts.amountBase, entry.atMs) };
    case 'loan.defaulted':
      // A loan counts as one default, however often it is cured and missed again.
      if (loan.record !== 'defaulted') countRepayment(next, loan.wallet, 'defaulted', 1);
      return { ...loan, status: 'defaulted', record: 'defaulted' };
    case 'loan.cured': {
      schedule(next, facts.dueAtMs, { kind: 'loan.due', loanId: loan.id });
      const cured = { ...loan, status: 'active', dueAtMs: facts.dueAtMs } as const;
      if (!facts.forgiven) return cured;
      if (loan.record === 'defaulted') countRepayment(next, loan.wallet, 'defaulted', -1);
      return { ...cured, record: 'clean' };
    }
    case 'loan.set_off':
      return repaid(next, entry, facts, loan);
    case 'loan.repaid':
      if (facts.signature !== null) next.recorded = next.recorded.set(facts.signature, entry.seq);
      return repaid(next, entry, facts, loan);
  }
}

function debtOf(loan: Loan): Debt {
  if (loan.debt === null) throw new Error(`loan ${loan.id} has no debt`);
  return loan.debt;
}

function repaid(
  next: Writable<State>,
  entry: Entry,
  facts: FactsOf<'loan.repaid'> | FactsOf<'loan.set_off'>,
  loan: Loan,
): Loan {
  const debt = settle(debtOf(loan), facts, entry.atMs);
  if (debt.principalBase > 0n || debt.interestUnits > 0n) return { ...loan, debt };
  // A default was counted when it happened.
  if (loan.record === 'clean') countRepayment(next, loan.wallet, 'onTime', 1);
  else if (loan.record === 'overdue') countRepayment(next, loan.wallet, 'late', 1);
  return { ...loan, debt, status: 'repaid' };
}

function countRepayment(
  next: Writable<State>,
  wallet: string,
  what: keyof Agent['repayment'],
  by: number,
): void {
  const { repayment } = customer(next, wallet);
  patchAgent(next, wallet, { repayment: { ...repayment, [what]: repayment[what] + by } });
}

function index(next: Writable<State>, entry: Entry): void {
  if (entry.wallet === null) return;
  const line = historyLine(entry);
  if (line === null) return;
  const agent = customer(next, entry.wallet);
  const { type, token } = line;
  const general = next.creditInHistory || !isCreditType(type);
  const keys = general ? ['', token, type, `${type}/${token}`] : [type, `${type}/${token}`];
  const history = agent.history.withMutations((lists: PMap<string, List<number>>) => {
    for (const key of keys) lists.set(key, (lists.get(key) ?? List<number>()).push(entry.seq));
  });
  next.agents = next.agents.set(agent.wallet, { ...agent, history });
}

/** Removes the earliest due item; the entry that it leads to is its only record. */
export function takeDue(state: State): { item: DueItem; rest: State } | null {
  return state.due === null ? null : { item: state.due.item, rest: { ...state, due: dropDue(state.due) } };
}

/** Reinserts a due item that `takeDue` removed. */
export function putBack(state: State, item: DueItem): State {
  return { ...state, due: addDue(state.due, item) };
}
