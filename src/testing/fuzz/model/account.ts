import type { Agent, Books } from './books.js';
import { TOKENS, amountBase, percent, units, NOTHING } from './amounts.js';
import { oneOf, recordId } from './checks.js';
import type { Memory, Place, Tree } from './compare.js';
import { collateralLimitBase, lent, owedBase, paid, savingsFor } from './debt.js';
import { membersOf } from './forms.js';
import { historyPage } from './history.js';
import { balanceChange, insufficientBalance, invalidAmount, namedSum } from './money-rules.js';
import { type Earned, earned, withLess, withMore, yieldOf } from './savings.js';
import { scheduleSettlement } from './treasury.js';
import type { ApiCall, ModelToken, Trouble, AccountState } from './types.js';
import { type Verdict, done, isRefused, refused } from './verdict.js';
import { dailyLimit } from './transfers.js';
import { outstandingBase } from './loan.js';
import { limitLeftBase, ratingOf } from './score.js';

function earnedTree(token: ModelToken, { base, otherBase }: Earned): Tree {
  const first = units(token, base);
  return otherBase === null ? first : oneOf([first, units(token, otherBase)]);
}

export function collateralOf(
  agent: Agent,
  { nowMs, limitsE6 }: Books,
): { limitBase: bigint; debtBase: bigint; leftBase: bigint } {
  const limitBase = collateralLimitBase(agent.savings.USDC.principalBase, limitsE6.maxLtv);
  const debtBase = owedBase(agent.collateral, nowMs);
  return { limitBase, debtBase, leftBase: debtBase < limitBase ? limitBase - debtBase : 0n };
}

function collateralTold(agent: Agent, books: Books) {
  const { limitBase, debtBase, leftBase } = collateralOf(agent, books);
  return {
    limit: units('USDC', limitBase),
    borrowed: units('USDC', debtBase),
    available: units('USDC', leftBase),
  };
}

/** The account overview in the configured variant. Source: docs/reference/fidelity.md, Variants of the description. */
export function overview(books: Books, agent: Agent): Verdict {
  const { checking, savings } = agent;
  const { variants, limits } = books.modelConfig;
  const yields = {
    usdc: earnedTree('USDC', earned(savings.USDC, books.index('USDC'))),
    sol: earnedTree('SOL', earned(savings.SOL, books.index('SOL'))),
  };
  const apyPpm = books.apyPpm('USDC');
  const collateralB = collateralTold(agent, books);
  const base = {
    wallet: agent.wallet,
    checking: { usdc: units('USDC', checking.USDC), sol: units('SOL', checking.SOL) },
    savings: {
      usdc: units('USDC', savings.USDC.principalBase),
      sol: units('SOL', savings.SOL.principalBase),
    },
  };
  const a = {
    yield: { earned_usdc: yields.usdc, earned_sol: yields.sol, apy: percent(apyPpm) },
    collateral: {
      total_savings_usdc: base.savings.usdc,
      borrowed_usdc: collateralB.borrowed,
      available_to_borrow_usdc: collateralB.available,
      ltv_ratio: limits.maxLtv,
    },
  };
  const apy = { usdc: units('USDC', apyPpm), sol: units('USDC', books.apyPpm('SOL')) };
  const b = { yield_earned: yields, collateral: collateralB, apy };
  if (variants.overview === 'A') return done({ ...base, ...a });
  if (variants.overview === 'B') return done({ ...base, ...b });
  return done({ ...base, ...a, ...b, collateral: { ...a.collateral, ...b.collateral } });
}

/** Current savings rates; `oracle_unavailable` in an outage. Source: docs/reference/fidelity.md, Oracle. */
export function yieldRates(books: Books, trouble: Trouble): Verdict {
  if (books.oracle.isOut(trouble)) return refused('oracle_unavailable');
  return done({
    protocol: 'simulated-lending',
    rates: TOKENS.map((token) => {
      const ppm = books.apyPpm(token);
      return { token, apy: percent(ppm), apyDecimal: units('USDC', ppm) };
    }),
  });
}

/** A page of the history. Source: docs/reference/fidelity.md, History. */
export function transactions({ modelConfig, forms }: Books, agent: Agent, call: ApiCall): Verdict {
  const parsed = forms.query(call);
  if (isRefused(parsed)) return parsed;
  const page = parsed.values as { limit: number; offset: number; type?: string; token?: string };
  return done(historyPage(agent, modelConfig.variants.historyTypes, page));
}

/** Moves money from checking to savings. Source: docs/reference/fidelity.md, Savings. */
export function savingsDeposit(books: Books, agent: Agent, call: ApiCall): Verdict {
  const sum = namedSum(membersOf(call));
  if (isRefused(sum)) return sum;
  const { token, base } = sum;
  const before = agent.checking[token];
  if (base > before) return insufficientBalance(token, before, base);
  const saved = agent.savings[token];
  agent.checking[token] = before - base;
  scheduleSettlement(books);
  agent.savings[token] = withMore(saved, base, books.index(token));
  const at = books.addRecord(agent, { type: 'savings_deposit', token, amountBase: base });
  return done({
    success: true,
    savings_deposit: { id: recordId(at), amount: units(token, base), token },
    checking: balanceChange(token, before, before - base),
    savings: balanceChange(token, saved.principalBase, saved.principalBase + base),
  });
}

export function unlockedBase(agent: Agent, token: ModelToken, books: Books): bigint {
  const { principalBase } = agent.savings[token];
  if (token !== 'USDC') return principalBase;
  const neededBase = savingsFor(collateralOf(agent, books).debtBase, books.limitsE6.maxLtv);
  return neededBase < principalBase ? principalBase - neededBase : 0n;
}

/** Moves principal and its share of the yield back to checking. Source: docs/reference/fidelity.md, Savings. */
export function savingsWithdraw(books: Books, agent: Agent, call: ApiCall): Verdict {
  const sum = namedSum(membersOf(call));
  if (isRefused(sum)) return sum;
  const { token, base } = sum;
  const saved = agent.savings[token];
  const left = saved.principalBase - base;
  if (left < 0n) {
    return refused('insufficient_savings', {
      token,
      available: units(token, saved.principalBase),
      requested: units(token, base),
    });
  }
  const unlocked = unlockedBase(agent, token, books);
  if (base > unlocked) return refused('collateral_locked', { max_withdrawable: units(token, unlocked) });
  const growth = books.index(token);
  const yielded = yieldOf(saved, base, growth);
  books.chain.paidYield[token] += yielded.base;
  scheduleSettlement(books);
  const before = agent.checking[token];
  const after = before + base + yielded.base;
  agent.checking[token] = after;
  agent.savings[token] = withLess(saved, { amountBase: base, yieldBase: yielded.base }, growth);
  const at = books.addRecord(agent, { type: 'savings_withdraw', token, amountBase: base + yielded.base });
  const { included, current } = yieldTold(at, token, { yielded, after });
  return done({
    success: true,
    savings_withdrawal: {
      id: recordId(at),
      amount: units(token, base),
      token,
      yield_included: included,
    },
    checking: { token, previous: units(token, before), current },
    savings: balanceChange(token, saved.principalBase, left),
  });
}

/** The yield and the new balance; where two adjacent values are possible, the response decides. */
function yieldTold(
  at: Place,
  token: ModelToken,
  { yielded, after }: { yielded: Earned; after: bigint },
): { included: Tree; current: Tree } {
  const included = units(token, yielded.base);
  const current = units(token, after);
  if (yielded.otherBase === null) return { included, current };
  const difference = yielded.otherBase - yielded.base;
  const learn = (memory: Memory) => memory.learnYield(at, difference);
  return {
    included: oneOf([included, units(token, yielded.otherBase)], learn),
    current: oneOf([current, units(token, after + difference)]),
  };
}

/** Borrows USDC against USDC savings. Source: docs/reference/fidelity.md, Collateral credit. */
export function borrow(books: Books, agent: Agent, call: ApiCall): Verdict {
  const base = amountBase(membersOf(call)['amount'], 'USDC');
  if (base === null) return invalidAmount('USDC');
  const { leftBase } = collateralOf(agent, books);
  if (base > leftBase) {
    return refused('collateral_limit_exceeded', {
      available_to_borrow: units('USDC', leftBase),
      requested: units('USDC', base),
    });
  }
  const before = agent.checking.USDC;
  agent.collateral = lent(agent.collateral, base, books.nowMs);
  agent.checking.USDC = before + base;
  const at = books.addRecord(agent, { type: 'borrow', token: 'USDC', amountBase: base });
  return done({
    success: true,
    loan: {
      id: recordId(at),
      amount: units('USDC', base),
      token: 'USDC',
      apr: units('USDC', agent.collateral.aprPpm),
    },
    collateral: { ...collateralTold(agent, books), ltv_ratio: books.modelConfig.limits.maxLtv },
    balance: balanceChange('USDC', before, before + base),
  });
}

/** Repays from checking: interest first, then principal. Source: docs/reference/fidelity.md, Collateral credit. */
export function repay(books: Books, agent: Agent, call: ApiCall): Verdict {
  const base = amountBase(membersOf(call)['amount'], 'USDC');
  if (base === null) return invalidAmount('USDC');
  const { chargedBase, debt, principalBase, interestBase } = paid(agent.collateral, base, books.nowMs);
  if (chargedBase === 0n) return refused('no_outstanding_loan');
  const before = agent.checking.USDC;
  if (chargedBase > before) return insufficientBalance('USDC', before, chargedBase);
  agent.collateral = debt;
  agent.checking.USDC = before - chargedBase;
  const at = books.addRecord(agent, { type: 'repay', token: 'USDC', amountBase: chargedBase });
  return done({
    success: true,
    repayment: {
      id: recordId(at),
      amount: units('USDC', chargedBase),
      requested: units('USDC', base),
      principal: units('USDC', principalBase),
      interest: units('USDC', interestBase),
      remaining: units('USDC', owedBase(debt, books.nowMs)),
    },
    collateral: { ...collateralTold(agent, books), ltv_ratio: books.modelConfig.limits.maxLtv },
    balance: balanceChange('USDC', before, before - chargedBase),
  });
}

/** How many of the latest records to include. */
const LATEST = 12;

const NOBODY: AccountState = {
  isCustomer: false,
  checking: NOTHING,
  savings: NOTHING,
  earned: NOTHING,
  collateralLimitBase: 0n,
  collateralDebtBase: 0n,
  availableToBorrowBase: 0n,
  unlockedSavingsBase: 0n,
  withdrawalLimitMicroUsd: 0n,
  withdrawnMicroUsd: 0n,
  paymentLimitMicroUsd: 0n,
  paidMicroUsd: 0n,
  hasUnderWay: false,
  rating: '',
  recordTypes: [],
  loans: [],
  creditLeftBase: 0n,
};

export function accountStateOf(books: Books, wallet: string): AccountState {
  const agent = books.agents.get(wallet);
  if (agent === undefined) return NOBODY;
  const { savings, checking, loans, history } = agent;
  const { limitBase, debtBase, leftBase } = collateralOf(agent, books);
  const withdrawals = dailyLimit(books, agent, 'withdraw');
  const payments = dailyLimit(books, agent, 'x402_payment');
  const yielded = (token: ModelToken) => earned(savings[token], books.index(token)).base;
  return {
    isCustomer: true,
    checking: { ...checking },
    savings: { USDC: savings.USDC.principalBase, SOL: savings.SOL.principalBase },
    earned: { USDC: yielded('USDC'), SOL: yielded('SOL') },
    collateralLimitBase: limitBase,
    collateralDebtBase: debtBase,
    availableToBorrowBase: leftBase,
    withdrawalLimitMicroUsd: withdrawals.limitMicroUsd,
    withdrawnMicroUsd: withdrawals.usedMicroUsd,
    paymentLimitMicroUsd: payments.limitMicroUsd,
    paidMicroUsd: payments.usedMicroUsd,
    loans: loans.map((loan) => ({
      id: loan.id,
      status: loan.status,
      outstandingBase: outstandingBase(loan, books.nowMs),
      dueAtMs: loan.dueAtMs,
    })),
    hasUnderWay: [...books.waiting.values()].some(
      (each) => each.kind === 'outflow' && each.at.wallet === wallet && each.transfer !== null,
    ),
    // Computed on access, which is rare.
    get recordTypes() {
      return history.slice(-LATEST).map(({ type }) => type);
    },
    get rating() {
      return ratingOf(books, agent);
    },
    get unlockedSavingsBase() {
      return unlockedBase(agent, 'USDC', books);
    },
    get creditLeftBase() {
      return limitLeftBase(books, agent);
    },
  };
}
