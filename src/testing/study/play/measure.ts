import type { Env } from '../../../core/domain/ports.js';
import { collateralStanding } from '../../../core/domain/collateral.js';
import { prune } from '../../../core/domain/daily-window.js';
import { ACCOUNTS, ACCOUNT_NAMES, type OutflowKind } from '../../../core/domain/entry.js';
import { TOKENS, type Token, mulDiv, tokenUnits } from '../../../core/domain/money.js';
import { PPM } from '../../../core/domain/rates.js';
import type { State } from '../../../core/domain/state.js';
import { decimalRate } from '../../../core/domain/views.js';
import type { MetricName } from '../metric-names.js';
import type { StudyAgent } from './agent.js';
import { type Tally, count } from './tally.js';

export interface Measured {
  readonly state: State;
  readonly env: Env;
  readonly tally: Tally;
  readonly agentOf: (wallet: string) => StudyAgent | undefined;
}

/** A measurement: numbers by key; the key is empty for a metric without keys. */
export type Measurement = Readonly<Record<string, number>>;

const PRICE_DECIMALS = 1e8;

function perToken(of: (token: Token) => number): Measurement {
  return Object.fromEntries(TOKENS.map((token) => [token, of(token)]));
}

/** Sums since the last measurement as means per tick. */
function perTick(sums: Measurement, { ticks }: Tally): Measurement {
  return Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / Math.max(1, ticks)]));
}

function balances({ state }: Measured): Measurement {
  const rows = ACCOUNT_NAMES.flatMap((account) => {
    const sign = ACCOUNTS[account].side === 'debit' ? 1n : -1n;
    return TOKENS.map(
      (token) => [`${account}/${token}`, tokenUnits(token, sign * state.totals[account][token])] as const,
    );
  });
  return Object.fromEntries(rows);
}

/** Used shares of the daily limits, by persona, among agents that paid out. */
function limitUse({ state, env, tally, agentOf }: Measured): Measurement {
  const sums: Record<string, number> = {};
  const users: Record<string, number> = {};
  for (const kind of ['withdraw', 'x402'] as const satisfies readonly OutflowKind[]) {
    const limit = Number(env.terms.dailyMicro[kind]);
    for (const wallet of tally.paidOut[kind]) {
      const window = state.agents.get(wallet)?.daily[kind];
      if (window === undefined || limit === 0) continue;
      const { totalMicro } = prune(window, env.variants.dailyWindow, env.nowMs);
      const key = `${kind}/${agentOf(wallet)?.persona ?? ''}`;
      count(sums, key, Number(totalMicro) / limit);
      count(users, key);
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / (users[key] ?? 1)]));
}

/** The debts of all borrowers, in base units. Removes borrowers that have repaid. */
function debts({ state, env, tally }: Measured): { debt: bigint; principal: bigint }[] {
  const found: { debt: bigint; principal: bigint }[] = [];
  for (const wallet of tally.borrowers) {
    const agent = state.agents.get(wallet);
    if (agent === undefined || agent.collateralDebt === null) {
      tally.borrowers.delete(wallet);
      continue;
    }
    found.push({
      debt: collateralStanding(agent, env).debt,
      principal: agent.savings.USDC.principalBase,
    });
  }
  return found;
}

function creditUse(measured: Measured): Measurement {
  const { state, env } = measured;
  const limit = mulDiv(-state.totals.savings.USDC, env.terms.ltvPpm, PPM, 'floor');
  const debt = debts(measured).reduce((sum, each) => sum + each.debt, 0n);
  return { '': limit === 0n ? 0 : Number(debt) / Number(limit) };
}

function ltv(measured: Measured): Measurement {
  const ratios = debts(measured)
    .map(({ debt, principal }) => Number(debt) / Math.max(1, Number(principal)))
    .toSorted((a, b) => a - b);
  if (ratios.length === 0) return {};
  const at = (share: number) => ratios[Math.floor(share * (ratios.length - 1))] as number;
  return { p10: at(0.1), p50: at(0.5), p90: at(0.9), max: at(1) };
}

function rates({ env }: Measured): Measurement {
  return Object.fromEntries(
    TOKENS.flatMap((token) => [
      [`apy/${token}`, decimalRate(env.apyPpm(token)).toNumber()],
      [`usd/${token}`, Number(env.priceE8(token)) / PRICE_DECIMALS],
    ]),
  );
}

export const MEASURES: Readonly<Record<MetricName, (measured: Measured) => Measurement>> = {
  balances,
  liquidity: ({ state }) =>
    perToken((token) => tokenUnits(token, state.totals.treasury[token] + state.totals.pending[token])),
  limitUse,
  limitHits: ({ tally }) => perTick(tally.limitHits, tally),
  creditUse,
  ltv,
  outstanding: ({ state }) => ({
    collateral: tokenUnits('USDC', state.totals.collateral_loan.USDC),
    'credit-lines': tokenUnits('USDC', state.totals.credit_line.USDC),
  }),
  loans: ({ tally }) => tally.loans,
  approvals: ({ tally }) => tally.approvals,
  defaults: ({ tally }) => tally.defaults,
  consequences: ({ tally }) => tally.consequences,
  refusals: ({ tally }) => perTick(tally.refusals, tally),
  actions: ({ tally }) => perTick(tally.actions, tally),
  volume: ({ tally }) =>
    perTick(
      perToken((token) => tokenUnits(token, tally.paid[token])),
      tally,
    ),
  yieldPaid: ({ tally }) => perToken((token) => tokenUnits(token, tally.yieldPaid[token])),
  rates,
};
