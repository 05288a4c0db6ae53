import { accountAgeDays, creditStanding } from '../credit/score.js';
import { customer } from '../inputs.js';
import { Amount, amountOf } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import type { State } from '../state.js';
import { decimalRate } from '../views.js';

/** A score on the published scale: 0 to 1000, or 300 to 850, by variant. */
export function publishedScore(score: number, { variants }: Env): number {
  return variants.score === '0-1000' ? score : 300 + Math.floor((score * 550) / 1_000);
}

export function profile(state: State, wallet: string, onChain: OnChainData, env: Env) {
  const agent = customer(state, wallet);
  const { score } = creditStanding(state, agent, onChain, env);
  return {
    wallet,
    creditScore: {
      score: publishedScore(score.score, env),
      pdBand: score.pdBand,
      riskCategory: score.riskCategory,
      htm: new Amount(score.htmMilli, 3),
      creditLimit: new Amount(score.creditLimitUsd, 0),
      suggestedAPR: decimalRate(score.aprPpm),
      decision: score.decision,
      subscores: score.subscores,
    },
    onChainData: {
      solBalance: amountOf('SOL', onChain.lamports),
      totalTransactions: onChain.totalTransactions,
      accountAgeDays: accountAgeDays(onChain, env.nowMs),
    },
    identity: { wallet: true, ...agent.identity },
  };
}
