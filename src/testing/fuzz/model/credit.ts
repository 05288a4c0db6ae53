import type { Agent, Books } from './books.js';
import { DAY_MS, amountBase, isToken, least, units } from './amounts.js';
import { loanId, paymentId, textOf } from './checks.js';
import type { Place, Tree } from './compare.js';
import { lent, noDebt, owedBase, paid } from './debt.js';
import { type Claim, arrival } from './deposits.js';
import { membersOf } from './forms.js';
import { type Loan, isOpen } from './loan.js';
import { insufficientBalance, invalidAmount, unsupportedToken } from './money-rules.js';
import type { ApiCall, Trouble } from './types.js';
import { limitLeftBase, scoreOf } from './score.js';
import { type Verdict, done, isRefused, refused } from './verdict.js';
import { earned, withLess, yieldOf } from './savings.js';
import { scheduleSettlement } from './treasury.js';

const DEFAULT_DAYS = 30;
/** The reason for decisions that no person makes. Source: docs/reference/fidelity.md, Credit lines. */
const BY_SCORE = 'decided by the score';
/** Time from the due date to the default. Source: docs/reference/fidelity.md, Credit lines. */
export const GRACE_MS = 30 * DAY_MS;

function put(agent: Agent, loan: Loan): void {
  agent.loans[loan.index] = loan;
}

/** Applies for a credit line: denied by the score, or passed to review. Source: docs/reference/fidelity.md, Credit lines. */
export function apply(books: Books, agent: Agent, call: ApiCall): Verdict {
  const { amount, purpose, duration, collateral } = membersOf(call);
  const { type, amount: pledged } = (collateral ?? {}) as { type?: string | null; amount?: unknown };
  const pledge = type ?? 'USDC';
  if (!isToken(pledge)) return unsupportedToken(pledge);
  const base = amountBase(amount, 'USDC');
  if (base === null) return invalidAmount('USDC');
  if ((pledged ?? null) !== null && amountBase(pledged, pledge) === null) return invalidAmount(pledge);
  const { limits, callerLimits } = books.modelConfig;
  const { minLoanUsd: min, maxLoanUsd: max } = limits;
  if (base < books.limitsE6.minLoanUsd || base > books.limitsE6.maxLoanUsd) {
    return refused('loan_amount_out_of_range', { min, max, requested: units('USDC', base) });
  }
  const open = agent.loans.filter(({ status }) => status === 'pending_review').length;
  const { openApplications: mostOpen, loanApplications: most } = callerLimits;
  if (open >= mostOpen)
    return refused('too_many_applications', { open_applications: open, max_open_applications: mostOpen });
  const all = [...books.agents.values()].reduce((sum, { loans }) => sum + loans.length, 0);
  if (all >= most) return refused('loan_applications_full', { max_applications: most });
  const score = scoreOf(books, agent);
  const loan: Loan = {
    id: null,
    wallet: agent.wallet,
    index: agent.loans.length,
    status: score.decision === 'DENY' ? 'denied' : 'pending_review',
    amountBase: base,
    purpose: String(purpose),
    durationDays: typeof duration === 'number' ? duration : DEFAULT_DAYS,
    createdAtMs: books.nowMs,
    aprPpm: score.aprPpm,
    debt: noDebt(score.aprPpm),
    dueAtMs: null,
    missed: 'nothing',
    reason: null,
  };
  put(agent, loan);
  if (loan.status === 'pending_review' && books.reviewPolicy === 'auto') {
    // The score approves if the credit limit covers the amount.
    const isApproved = base <= limitLeftBase(books, agent);
    decide(books, agent, loan, { isApproved, reason: BY_SCORE });
  }
  const status = agent.loans[loan.index]?.status;
  return done({
    application: {
      id: loanId(loan),
      status: status === 'active' ? 'approved' : (status ?? null),
      amount: units('USDC', base),
      apr: units('USDC', loan.aprPpm),
      terms: { duration: loan.durationDays, repayment: 'bullet', purpose: loan.purpose },
    },
  });
}

export interface Review {
  readonly isApproved: boolean;
  readonly reason: string | null;
}

/** The reason that the books contain for an approval, including the amount by which it exceeds the credit limit. */
function reasonOf(books: Books, agent: Agent, { amountBase: base }: Loan, reason: string | null): Tree {
  const leftBase = limitLeftBase(books, agent);
  if (base <= leftBase) return reason;
  const { limitUsd } = scoreOf(books, agent);
  return textOf([
    ...(reason === null ? [] : [reason]),
    `${units('USDC', base - leftBase)} USD`,
    `${limitUsd} USD`,
  ]);
}

/** Approves or denies an application. Approval pays the principal into checking; the term starts at the approval. */
export function decide(books: Books, agent: Agent, loan: Loan, { isApproved, reason }: Review): void {
  if (!isApproved) {
    put(agent, { ...loan, status: 'denied', reason });
    return;
  }
  const dueAtMs = books.nowMs + loan.durationDays * DAY_MS;
  put(agent, {
    ...loan,
    status: 'active',
    reason: reasonOf(books, agent, loan, reason),
    debt: lent(loan.debt, loan.amountBase, books.nowMs),
    dueAtMs,
  });
  books.schedule.add({ atMs: dueAtMs, what: { kind: 'due', at: loan } });
  agent.checking.USDC += loan.amountBase;
  const { amountBase: base, index } = loan;
  books.addRecord(agent, { type: 'borrow', token: 'USDC', amountBase: base, loan: index });
}

/** Repays from checking, or by a transaction whose surplus goes to checking. Source: docs/reference/fidelity.md, Credit lines. */
export function repayLoan(
  { books, agent, trouble, call }: { books: Books; agent: Agent; trouble: Trouble; call: ApiCall },
  loan: Loan,
): Verdict {
  const { amount, txSignature } = membersOf(call);
  const base = amountBase(amount, 'USDC');
  if (base === null) return invalidAmount('USDC');
  if (!isOpen(loan)) return refused('loan_not_active', { status: loan.status });
  const payment = paid(loan.debt, base, books.nowMs);
  const { chargedBase } = payment;
  const before = agent.checking.USDC;
  const signature = typeof txSignature === 'string' ? txSignature : null;
  let surplus = -chargedBase;
  if (signature === null) {
    if (chargedBase > before) return insufficientBalance('USDC', before, chargedBase);
  } else {
    const address = books.modelConfig.treasury;
    const claim: Claim = { signature, address, token: 'USDC', base, payer: agent.wallet };
    const came = arrival(books, claim, trouble);
    if (isRefused(came)) return came;
    surplus = base - chargedBase;
  }
  const { at, remainingBase } = repaid({ books, agent }, loan, { ...payment, signature, surplus });
  return done({
    payment: {
      id: paymentId(at),
      amount: units('USDC', chargedBase),
      remainingBalance: units('USDC', remainingBase),
      status: 'completed',
    },
  });
}

/** Books a payment on a loan. Its surplus goes to checking, and is negative when checking pays. */
function repaid(
  { books, agent }: { books: Books; agent: Agent },
  loan: Loan,
  payment: ReturnType<typeof paid> & { readonly signature: string | null; readonly surplus: bigint },
): { at: Place; remainingBase: bigint } {
  const { debt, chargedBase, signature, surplus } = payment;
  if (signature !== null) books.recorded = books.recorded.set(signature, true);
  agent.checking.USDC += surplus;
  const remainingBase = owedBase(debt, books.nowMs);
  put(agent, { ...loan, debt, status: remainingBase === 0n ? 'repaid' : loan.status });
  const record = { amountBase: chargedBase, signature, loan: loan.index };
  return { at: books.addRecord(agent, { type: 'repay', token: 'USDC', ...record }), remainingBase };
}

/** Repays a loan from outside, by a transaction of this amount to the treasury. Returns the amount applied to the loan. */
export function repayFromOutside(
  { books, agent }: { books: Books; agent: Agent },
  loan: Loan,
  { base, signature }: { base: bigint; signature: string | null },
): bigint {
  const payment = paid(loan.debt, base, books.nowMs);
  repaid({ books, agent }, loan, { ...payment, signature, surplus: base - payment.chargedBase });
  return payment.chargedBase;
}

/** Handles the due date of an active loan. Returns whether it applies. */
export function loanDue(books: Books, { wallet, index }: Place): boolean {
  const agent = books.agent(wallet);
  const loan = agent.loans[index];
  if (loan?.status !== 'active' || loan.dueAtMs === null || loan.dueAtMs > books.nowMs) return false;
  makeOverdue(books, agent, loan, loan.dueAtMs);
  return true;
}

/** Handles the default, 30 days after the due date of an overdue loan. Returns whether it applies. */
export function loanDefaults(books: Books, { wallet, index }: Place): boolean {
  const agent = books.agent(wallet);
  const loan = agent.loans[index];
  if (loan?.status !== 'overdue' || loan.dueAtMs === null || loan.dueAtMs + GRACE_MS > books.nowMs)
    return false;
  makeDefaulted(books, agent, loan);
  return true;
}

/** Makes an active loan overdue from an instant on. It defaults 30 days later. */
export function makeOverdue(books: Books, agent: Agent, loan: Loan, dueAtMs: number): void {
  const missed = loan.missed === 'default' ? 'default' : 'due';
  put(agent, withLateFee(books, agent, { ...loan, status: 'overdue', dueAtMs, missed }));
  books.schedule.add({ atMs: dueAtMs + GRACE_MS, what: { kind: 'default', at: loan } });
}

export function makeDefaulted(books: Books, agent: Agent, loan: Loan): void {
  put(agent, afterSetOff(books, agent, { ...loan, status: 'defaulted', missed: 'default' }));
}

/** Reactivates an overdue or defaulted loan with another due date. */
export function cure(
  books: Books,
  agent: Agent,
  loan: Loan,
  { forgive, dueAtMs }: { forgive: boolean; dueAtMs: number },
): void {
  put(agent, { ...loan, status: 'active', dueAtMs, missed: forgive ? 'nothing' : loan.missed });
  books.schedule.add({ atMs: dueAtMs, what: { kind: 'due', at: loan } });
}

const MILLION = 1_000_000n;

/** A share of an amount in millionths, rounded up. */
function shareBase(wholeBase: bigint, sharePpm: bigint): bigint {
  return (wholeBase * sharePpm + MILLION - 1n) / MILLION;
}

/** The next midnight at which collateral loans are assessed; Infinity for never. Source: docs/reference/fidelity.md, Collateral credit. */
export function nextAssessmentMs({ seenMs, modelConfig }: Books): number {
  return modelConfig.limits.liquidationLtv === 0
    ? Number.POSITIVE_INFINITY
    : (Math.floor(seenMs / DAY_MS) + 1) * DAY_MS;
}

/** Assesses all collateral loans now. Returns the wallets whose loans were liquidated. */
export function assess(books: Books): string[] {
  return [...books.agents.values()].flatMap((agent) => (liquidate(books, agent) ? [agent.wallet] : []));
}

function liquidate(books: Books, agent: Agent): boolean {
  const { liquidationLtv, liquidationPenalty } = books.limitsE6;
  const debtBase = owedBase(agent.collateral, books.nowMs);
  const growth = books.index('USDC');
  const saved = agent.savings.USDC;
  const worthBase = saved.principalBase + earned(saved, growth).base;
  if (debtBase === 0n || debtBase * MILLION <= liquidationLtv * worthBase) return false;
  const dueBase = debtBase + shareBase(debtBase, liquidationPenalty);
  const takenBase = least(dueBase, saved.principalBase);
  const yieldBase = yieldOf(saved, takenBase, growth).base;
  const paidBase = least(dueBase, takenBase + yieldBase);
  books.chain.paidYield.USDC += yieldBase;
  scheduleSettlement(books);
  agent.savings.USDC = withLess(saved, { amountBase: takenBase, yieldBase }, growth);
  agent.collateral = noDebt(agent.collateral.aprPpm);
  agent.checking.USDC += takenBase + yieldBase - paidBase;
  books.addRecord(agent, { type: 'liquidation', token: 'USDC', amountBase: paidBase });
  return true;
}

/** A loan that becomes overdue, with its late fee. Source: docs/reference/fidelity.md, Credit lines. */
export function withLateFee(books: Books, agent: Agent, loan: Loan): Loan {
  const { lateFeeUsd, lateFeeRate } = books.limitsE6;
  const feeBase = lateFeeUsd + shareBase(owedBase(loan.debt, books.nowMs), lateFeeRate);
  if (feeBase === 0n) return loan;
  books.addRecord(agent, { type: 'late_fee', token: 'USDC', amountBase: feeBase, loan: loan.index });
  return { ...loan, debt: lent(loan.debt, feeBase, books.nowMs) };
}

/** A loan that defaults, after a set-off against checking. Source: docs/reference/fidelity.md, Credit lines. */
export function afterSetOff(books: Books, agent: Agent, loan: Loan): Loan {
  const offeredBase = (agent.checking.USDC * books.limitsE6.setOffShare) / MILLION;
  const { debt, chargedBase } = paid(loan.debt, offeredBase, books.nowMs);
  if (chargedBase === 0n) return loan;
  agent.checking.USDC -= chargedBase;
  books.addRecord(agent, { type: 'set_off', token: 'USDC', amountBase: chargedBase, loan: loan.index });
  return { ...loan, debt, status: owedBase(debt, books.nowMs) === 0n ? 'repaid' : loan.status };
}
