import { DAY_MS, TOKENS, amountBase, units, worthMicroUsd } from './amounts.js';
import type { Agent, Books } from './books.js';
import { textOf, textWith } from './checks.js';
import type { Tree } from './compare.js';
import { owedBase } from './debt.js';
import { creditOwedBase } from './loan.js';
import type { ApiCall, ModelConfig, WalletFacts } from './types.js';
import { type Verdict, done, isRefused } from './verdict.js';
import { invalidAmount } from './money-rules.js';

const WHOLE_SOL = 1_000_000_000n;
const DENY_BELOW = 250;
const FULL_MICRO_USD = 5_000_000_000n;

type Subscores = Readonly<Record<'onChain' | 'identity' | 'banking' | 'repayment', number>>;

/** The service's credit score of an agent. Source: docs/reference/fidelity.md, Credit score. */
export interface Score {
  /** 0 to 1000, in every variant. */
  readonly raw: number;
  readonly subscores: Subscores;
  readonly decision: 'DENY' | 'APPROVE_WITH_CONDITIONS' | 'APPROVE';
  readonly aprPpm: bigint;
  readonly limitUsd: number;
}

function share(points: number, of: number, full: number): number {
  return Math.floor((points * Math.min(Math.max(of, 0), full)) / full);
}

function daysSince(fromMs: number, nowMs: number): number {
  return Math.floor((nowMs - fromMs) / DAY_MS);
}

function onChainPoints({ lamports, transactions, firstSeenMs }: WalletFacts, nowMs: number): number {
  const full = 10n * WHOLE_SOL;
  const sol = Number((400n * (lamports < full ? lamports : full)) / full);
  const days = firstSeenMs === null ? 0 : daysSince(firstSeenMs, nowMs);
  return sol + share(300, transactions, 100) + share(300, days, 365);
}

/** Points for money at the bank and time as a customer. Debts are deducted from the money. */
function bankingPoints(agent: Agent, books: Books): number {
  const debtBase = owedBase(agent.collateral, books.nowMs) + creditOwedBase(agent.loans, books.nowMs);
  let microUsd = -worthMicroUsd('USDC', debtBase, books.priceE8('USDC'));
  for (const token of TOKENS) {
    const base = agent.checking[token] + agent.savings[token].principalBase;
    microUsd += worthMicroUsd(token, base, books.priceE8(token));
  }
  if (microUsd < 0n) microUsd = 0n;
  const money = Number((600n * (microUsd < FULL_MICRO_USD ? microUsd : FULL_MICRO_USD)) / FULL_MICRO_USD);
  return money + share(400, daysSince(agent.sinceMs, books.nowMs), 180);
}

function repaymentPoints({ loans }: Agent): { points: number; hasDefault: boolean } {
  let points = 500;
  let hasDefault = false;
  for (const { missed, status } of loans) {
    if (missed === 'default') {
      points -= 500;
      hasDefault = true;
    } else if (missed === 'due') points -= 150;
    else if (status === 'repaid') points += 100;
  }
  return { points: Math.min(1000, Math.max(0, points)), hasDefault };
}

/** From the maximum APR at 0 to the minimum at 1000, rounded up to a millionth. */
function aprFor(raw: number, { limitsE6: { minApr, maxApr } }: Books): bigint {
  return minApr + ((maxApr - minApr) * BigInt(1_000 - raw) + 999n) / 1_000n;
}

/** From the minimum credit line at 250 to the maximum at 1000, rounded down to a USD. */
function creditLimitUsd(raw: number, { minLoanUsd, maxLoanUsd }: ModelConfig['limits']): number {
  const span = BigInt(maxLoanUsd - minLoanUsd);
  return minLoanUsd + Number((span * BigInt(raw - DENY_BELOW)) / 750n);
}

export function scoreOf(books: Books, agent: Agent): Score {
  const { x, github } = agent.links;
  const { points: repayment, hasDefault } = repaymentPoints(agent);
  const subscores = {
    onChain: onChainPoints(books.chain.factsOf(agent.wallet), books.nowMs),
    identity: 200 + (x ? 400 : 0) + (github ? 400 : 0),
    banking: bankingPoints(agent, books),
    repayment,
  };
  const { onChain, identity, banking } = subscores;
  const sum = Math.floor((25 * onChain + 20 * identity + 25 * banking + 30 * repayment) / 100);
  const raw = hasDefault ? Math.min(200, sum) : sum;
  const decision = raw < DENY_BELOW ? 'DENY' : raw < 600 ? 'APPROVE_WITH_CONDITIONS' : 'APPROVE';
  return {
    raw,
    subscores,
    decision,
    aprPpm: aprFor(raw, books),
    limitUsd: decision === 'DENY' ? 0 : creditLimitUsd(raw, books.modelConfig.limits),
  };
}

function risk(raw: number): { riskCategory: string; pdBand: string } {
  if (raw < 250) return { riskCategory: 'High', pdBand: '15-30%' };
  if (raw < 500) return { riskCategory: 'Elevated', pdBand: '7-15%' };
  if (raw < 750) return { riskCategory: 'Medium', pdBand: '3-7%' };
  return { riskCategory: 'Low', pdBand: '0-3%' };
}

/** Decision and risk, in words. */
export function ratingOf(books: Books, agent: Agent): string {
  const { raw, decision } = scoreOf(books, agent);
  return `${decision} ${risk(raw).riskCategory}`;
}

/** The credit profile. Source: docs/reference/fidelity.md, Credit score. */
export function profile(books: Books, agent: Agent): Verdict {
  const facts = books.chain.factsOf(agent.wallet);
  const { raw, subscores, decision, aprPpm, limitUsd } = scoreOf(books, agent);
  const isNarrow = books.modelConfig.variants.score === '300-850';
  return done({
    wallet: agent.wallet,
    creditScore: {
      score: isNarrow ? 300 + Math.floor((raw * 55) / 100) : raw,
      ...risk(raw),
      htm: Math.floor((1_400 + raw) / 2) / 1_000,
      creditLimit: limitUsd,
      suggestedAPR: units('USDC', aprPpm),
      decision,
      subscores: { ...subscores },
    },
    onChainData: {
      solBalance: units('SOL', facts.lamports),
      totalTransactions: facts.transactions,
      accountAgeDays: facts.firstSeenMs === null ? null : daysSince(facts.firstSeenMs, books.nowMs),
    },
    identity: { wallet: true, ...agent.links },
  });
}

/** The current credit limit less the debt of credit lines. Source: docs/reference/fidelity.md, Credit lines. */
export function limitLeftBase(books: Books, agent: Agent): bigint {
  const { limitUsd } = scoreOf(books, agent);
  return BigInt(limitUsd) * 1_000_000n - creditOwedBase(agent.loans, books.nowMs);
}

/** What a credit line of an agent depends on, in base units of USDC. */
interface Room {
  readonly maxBase: bigint;
  readonly askedBase: bigint | null;
  /** Total amount of open applications. */
  readonly appliedBase: bigint;
  readonly waits: boolean;
}

/** Unmet requirements, then advice to link accounts. The wording is the service's own. */
function requirements(
  { modelConfig, limitsE6 }: Books,
  { links, loans }: Agent,
  { decision }: Score,
  { maxBase, askedBase, appliedBase, waits }: Room,
): Tree[] {
  const { minLoanUsd } = modelConfig.limits;
  const lacking: Tree[] = [];
  const hasDefault = loans.some(({ missed }) => missed === 'default');
  if (hasDefault) lacking.push(textWith(/no other credit line/i));
  else if (decision === 'DENY') lacking.push(textWith(/score/i));
  else if (maxBase === 0n) lacking.push(textWith(waits ? /wait/i : /repay/i));
  if (askedBase !== null) {
    const applied = `applications for ${units('USDC', appliedBase)} USD`;
    if (askedBase < limitsE6.minLoanUsd) lacking.push(textWith(new RegExp(`at least ${minLoanUsd} `, 'i')));
    else if (maxBase > 0n && askedBase > maxBase)
      lacking.push(textOf([`at most ${units('USDC', maxBase)} `, ...(appliedBase === 0n ? [] : [applied])]));
  }
  if (decision !== 'APPROVE' && !hasDefault) {
    if (!links.x) lacking.push(textWith(/\bX\b/));
    if (!links.github) lacking.push(textWith(/GitHub/i));
  }
  return lacking;
}

/** Whether a credit line could be approved, of the asked amount if there is one. Source: docs/reference/fidelity.md, Credit score. */
export function eligibility(books: Books, agent: Agent, call: ApiCall): Verdict {
  const parsed = books.forms.query(call);
  if (isRefused(parsed)) return parsed;
  const { amount: asked } = parsed.values;
  const askedBase = asked === undefined ? null : amountBase(asked, 'USDC');
  if (asked !== undefined && askedBase === null) return invalidAmount('USDC');
  const score = scoreOf(books, agent);
  const open = agent.loans.filter(({ status }) => status === 'pending_review');
  const room = BigInt(score.limitUsd) * 1_000_000n - creditOwedBase(agent.loans, books.nowMs);
  const appliedBase = open.reduce((sum, { amountBase: applied }) => sum + applied, 0n);
  const { limits, callerLimits } = books.modelConfig;
  const minBase = books.limitsE6.minLoanUsd;
  const isFull = open.length >= callerLimits.openApplications;
  const maxBase = isFull || room - appliedBase < minBase ? 0n : room - appliedBase;
  const waits = isFull || room >= minBase;
  const fits = askedBase === null || (askedBase >= minBase && askedBase <= maxBase);
  return done({
    eligible: maxBase > 0n && fits,
    decision: score.decision,
    maxAmount: units('USDC', maxBase),
    terms: { apr: units('USDC', score.aprPpm), maxLTV: limits.maxLtv, maxDuration: 90 },
    requirements: requirements(books, agent, score, { maxBase, askedBase, appliedBase, waits }),
  });
}
