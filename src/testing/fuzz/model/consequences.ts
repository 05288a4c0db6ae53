import type { Agent } from './agent.js';
import { DAY_MS } from './amounts.js';
import type { Books } from './books.js';
import { lent, noDebt, owedBase, paid } from './debt.js';
import type { Loan } from './loan.js';
import { earned, withLess, yieldOf } from './savings.js';
import { scheduleSettlement } from './supply.js';

const MILLION = 1_000_000n;

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** A share of an amount in millionths, rounded up. */
function shareBase(amountBase: bigint, sharePpm: bigint): bigint {
  return (amountBase * sharePpm + MILLION - 1n) / MILLION;
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
