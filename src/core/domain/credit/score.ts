import { DAY_MS } from '../calendar.js';
import type { BankTerms } from '../bank-terms.js';
import { collateralStanding } from '../collateral.js';
import { baseOfUsd, usdValueUp } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import { type Agent, type Loan, type State, holding } from '../state.js';
import { creditOwed } from './terms.js';

/** The inputs of a score, in whole numbers, so that equal evidence gives equal scores. */
export interface Evidence {
  readonly lamports: bigint;
  readonly totalTransactions: number;
  readonly accountAgeDays: number;
  readonly linkedX: boolean;
  readonly linkedGithub: boolean;
  /** Checking plus savings minus all debts with interest, in micro-USD; at least 0. */
  readonly holdingsUsdMicro: bigint;
  readonly tenureDays: number;
  readonly repaidOnTime: number;
  /** Repaid late, or overdue and unpaid. */
  readonly late: number;
  readonly defaulted: number;
}

export type RiskCategory = 'Low' | 'Medium' | 'Elevated' | 'High';
export type CreditDecision = 'APPROVE' | 'APPROVE_WITH_CONDITIONS' | 'DENY';

export interface Score {
  /** 0 to 1000. */
  readonly score: number;
  readonly subscores: { onChain: number; identity: number; banking: number; repayment: number };
  readonly pdBand: string;
  readonly riskCategory: RiskCategory;
  /** In whole thousandths: 700 to 1200. */
  readonly htmMilli: bigint;
  /** 0, or whole USD within the bounds of credit lines. */
  readonly creditLimitUsd: bigint;
  /** Falls evenly from the highest to the lowest APR. */
  readonly aprPpm: bigint;
  readonly decision: CreditDecision;
}

// Decisions of this project, documented in docs/reference/fidelity.md: the service description gives ranges and names only.
const DENY_BELOW = 250;
const APPROVE_FROM = 600;
const BEST_SCORE = 1_000n;
const SCORE_AFTER_DEFAULT = 200;

const BANDS: readonly { from: number; category: RiskCategory; pd: string }[] = [
  { from: 750, category: 'Low', pd: '0-3%' },
  { from: 500, category: 'Medium', pd: '3-7%' },
  { from: DENY_BELOW, category: 'Elevated', pd: '7-15%' },
  { from: 0, category: 'High', pd: '15-30%' },
];

/** `points` at `full` or above, proportionally fewer below, rounded down. */
function share(value: number, full: number, points: number): number {
  return Math.floor((Math.min(Math.max(value, 0), full) * points) / full);
}

function subscoresOf(evidence: Evidence): Score['subscores'] {
  const lamports = Number(evidence.lamports);
  const usdMicro = Number(evidence.holdingsUsdMicro);
  const repayment = 500 + 100 * evidence.repaidOnTime - 150 * evidence.late - 500 * evidence.defaulted;
  return {
    onChain:
      share(lamports, 10_000_000_000, 400) +
      share(evidence.totalTransactions, 100, 300) +
      share(evidence.accountAgeDays, 365, 300),
    identity: 200 + (evidence.linkedX ? 400 : 0) + (evidence.linkedGithub ? 400 : 0),
    banking: share(usdMicro, 5_000_000_000, 600) + share(evidence.tenureDays, 180, 400),
    repayment: Math.min(Math.max(repayment, 0), 1_000),
  };
}

/** The credit limit in whole USD: the minimum at the lowest score that is not denied, the maximum at the highest. */
function limitUsd(score: number, { minLoanUsd, maxLoanUsd }: BankTerms): bigint {
  return (
    minLoanUsd + ((maxLoanUsd - minLoanUsd) * BigInt(score - DENY_BELOW)) / (BEST_SCORE - BigInt(DENY_BELOW))
  );
}

/**
 * The credit score: 25 % on-chain, 20 % identity, 25 % banking, 30 % repayment, rounded down; 200 at most after a default.
 * Better evidence never lowers it, a missed payment never raises it.
 */
export function scoreOf(evidence: Evidence, terms: BankTerms): Score {
  const subscores = subscoresOf(evidence);
  const { onChain, identity, banking, repayment } = subscores;
  const weighted = Math.floor((25 * onChain + 20 * identity + 25 * banking + 30 * repayment) / 100);
  const score = evidence.defaulted > 0 ? Math.min(weighted, SCORE_AFTER_DEFAULT) : weighted;
  const band = BANDS.find(({ from }) => score >= from) as (typeof BANDS)[number];
  const decision = score < DENY_BELOW ? 'DENY' : score < APPROVE_FROM ? 'APPROVE_WITH_CONDITIONS' : 'APPROVE';
  return {
    score,
    subscores,
    pdBand: band.pd,
    riskCategory: band.category,
    htmMilli: 700n + (500n * BigInt(score)) / 1_000n,
    creditLimitUsd: decision === 'DENY' ? 0n : limitUsd(score, terms),
    aprPpm: terms.maxAprPpm - ((terms.maxAprPpm - terms.minAprPpm) * BigInt(score)) / BEST_SCORE,
    decision,
  };
}

/** Whole days since the wallet first appeared on chain; null if it never did. */
export function accountAgeDays(onChain: OnChainData, nowMs: number): number | null {
  return onChain.firstSeenMs === null
    ? null
    : Math.max(0, Math.floor((nowMs - onChain.firstSeenMs) / DAY_MS));
}

/** Whether a loan is overdue, or was until its due date was changed, and has not defaulted: it already counts as late. */
function isMissed(loan: Loan | undefined): boolean {
  return loan?.record === 'overdue' && (loan.status === 'overdue' || loan.status === 'active');
}

/** Gathers an agent's evidence from books and chain. Borrowed money does not count: debts are deducted. */
export function evidenceOf(state: State, agent: Agent, onChain: OnChainData, env: Env): Evidence {
  const usdc = holding(agent, 'checking', 'USDC') + agent.savings.USDC.principalBase;
  const sol = holding(agent, 'checking', 'SOL') + agent.savings.SOL.principalBase;
  const owed = collateralStanding(agent, env).debt + creditOwed(state, agent, env.nowMs);
  const [usdcE8, solE8] = [env.priceE8('USDC'), env.priceE8('SOL')];
  const held = usdValueUp(usdc, 'USDC', usdcE8) + usdValueUp(sol, 'SOL', solE8);
  const debts = usdValueUp(owed, 'USDC', usdcE8);
  const overdue = agent.loanIds.count((id) => isMissed(state.loans.get(id)));
  return {
    lamports: onChain.lamports,
    totalTransactions: onChain.totalTransactions,
    accountAgeDays: accountAgeDays(onChain, env.nowMs) ?? 0,
    linkedX: agent.identity.x,
    linkedGithub: agent.identity.github,
    holdingsUsdMicro: held > debts ? held - debts : 0n,
    tenureDays: Math.max(0, Math.floor((env.nowMs - agent.openedAtMs) / DAY_MS)),
    repaidOnTime: agent.repayment.onTime,
    late: agent.repayment.late + overdue,
    defaulted: agent.repayment.defaulted,
  };
}

/** An agent's credit at one instant: its score, and its limit and debt on credit lines in base units of USDC. */
export function creditStanding(state: State, agent: Agent, onChain: OnChainData, env: Env) {
  const score = scoreOf(evidenceOf(state, agent, onChain, env), env.terms);
  const limitBase = baseOfUsd(score.creditLimitUsd);
  return { score, limitBase, owedBase: creditOwed(state, agent, env.nowMs) };
}
