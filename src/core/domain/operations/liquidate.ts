import type { BankTerms } from '../bank-terms.js';
import { DAY_MS, startOfUtcDay } from '../calendar.js';
import { owed } from '../debt.js';
import { type EntryDraft, credit, debit, draft } from '../entry.js';
import { least, mulDiv } from '../money.js';
import type { Env } from '../ports.js';
import { PPM } from '../rates.js';
import { yieldAt, yieldShare } from '../savings.js';
import type { Agent } from '../state.js';

/** The first instant after `atMs` at which collateral loans are checked; infinite when they are never liquidated. */
export function nextAssessmentMs(atMs: number, { liquidationPpm }: BankTerms): number {
  return liquidationPpm === null ? Number.POSITIVE_INFINITY : startOfUtcDay(atMs) + DAY_MS;
}

/**
 * The entry that repays a collateral loan whole from USDC savings, once its debt exceeds the liquidation LTV times
 * their value (principal and yield); null until then. Principal is taken up to the debt; the yield goes to checking
 * unless it is needed.
 */
export function liquidate(agent: Agent, env: Pick<Env, 'nowMs' | 'terms' | 'yieldIndex'>): EntryDraft | null {
  const { nowMs, terms } = env;
  const { collateralDebt: debt, wallet } = agent;
  if (debt === null || terms.liquidationPpm === null) return null;
  const indexRay = env.yieldIndex('USDC');
  const position = agent.savings.USDC;
  const yielded = yieldAt(position, indexRay);
  const valueBase = position.principalBase + yielded;
  const owedBase = owed(debt, nowMs);
  if (owedBase * PPM <= terms.liquidationPpm * valueBase) return null;

  const dueBase = owedBase + mulDiv(owedBase, terms.liquidationPenaltyPpm, PPM, 'ceil');
  const amountBase = least(dueBase, position.principalBase);
  const yieldBase = yieldShare(position, amountBase, indexRay);
  const paidBase = least(dueBase, amountBase + yieldBase);
  // The principal never exceeds the savings (see the LTV), so all of it is repaid; interest and penalty that do not fit are waived.
  const { principalBase } = debt;
  const interestBase = least(paidBase, owedBase) - principalBase;
  const penaltyBase = paidBase - principalBase - interestBase;
  const earned = yielded - position.bookedYieldBase;
  const facts = {
    kind: 'collateral.liquidated',
    amountBase,
    yieldBase,
    indexRay,
    principalBase,
    interestBase,
    penaltyBase,
    owedBase,
    valueBase,
    liquidationPpm: terms.liquidationPpm,
  } as const;
  return draft(wallet, facts, [
    debit('savings', wallet, 'USDC', amountBase),
    debit('yield', wallet, 'USDC', yieldBase - earned),
    debit('protocol', null, 'USDC', earned),
    credit('collateral_loan', wallet, 'USDC', principalBase),
    credit('interest_income', null, 'USDC', interestBase + penaltyBase),
    credit('checking', wallet, 'USDC', amountBase + yieldBase - paidBase),
  ]);
}
