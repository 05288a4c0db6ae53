import { DECIMALS, TOKENS, type Token } from '../../../core/domain/money.js';
import type { Result } from '../../../core/domain/result.js';
import { messageOf } from '../../../core/domain/errors.js';
import { madeKey } from '../../../runtime/dev-wallets.js';
import type { Simulator } from '../../../simulator/simulator.js';
import { Random } from '../random.js';
import { fraction, seedOf } from '../design.js';
import type { PersonaGroup } from '../population.js';
import type { Actions } from './actions.js';
import { StudyAgent, wholeUnits } from './agent.js';
import type { ChainTransfers } from './chain-transfers.js';

type Money = { readonly usdc?: number; readonly sol?: number } | undefined;

/** The amount of a persona for one agent, in token units. */
function units(money: Money, token: Token, { factor }: StudyAgent): number {
  return wholeUnits((token === 'USDC' ? (money?.usdc ?? 0) : (money?.sol ?? 0)) * factor, token);
}

/** A log-normal factor with mean 1; `deviation` is the standard deviation of its logarithm. */
function factorOf(random: Random, spread: number): number {
  if (spread === 0) return 1;
  const radius = Math.sqrt(-2 * Math.log(1 - fraction(random)));
  const normal = radius * Math.cos(2 * Math.PI * fraction(random));
  return Math.exp(spread * normal - (spread * spread) / 2);
}

/** The agents of a world before they open accounts. */
export function agentsOf(
  sim: Simulator,
  groups: readonly PersonaGroup[],
  { spread, seed }: { readonly spread: number; readonly seed: string },
): StudyAgent[] {
  const random = new Random(seedOf(`${seed}/population`));
  const agents: StudyAgent[] = [];
  for (const group of groups) {
    for (let left = group.count; left > 0; left -= 1) {
      sim.createWallet();
      const number = agents.length + 1;
      const key = madeKey(sim.config.seed, number);
      agents.push(new StudyAgent(sim, key, group, number, factorOf(random, spread)));
    }
  }
  return agents;
}

function done(result: Result<unknown>): void {
  if (!result.ok) throw new Error(`the initial funds of an agent: ${messageOf(result.refusal)}`);
}

/** Deposits the initial funds of the agents on chain. */
export async function openAccounts(
  sim: Simulator,
  agents: readonly StudyAgent[],
  { actions, transfers }: { readonly actions: Actions; readonly transfers: ChainTransfers },
): Promise<void> {
  const { bank } = sim;
  const deposits = (agent: StudyAgent, token: Token): number => {
    const { checking, savings } = agent.group.begins;
    // Both are whole base units; as a number, their sum can be slightly too small.
    return Number((units(checking, token, agent) + units(savings, token, agent)).toFixed(DECIMALS[token]));
  };
  await transfers.writeWallets(
    agents.map((agent) => {
      const { wallet } = agent.group.begins;
      const has = (token: Token) => units(wallet, token, agent) + deposits(agent, token);
      return { address: agent.wallet, usdc: has('USDC'), sol: has('SOL') };
    }),
  );
  for (const agent of agents) {
    const { wallet, group } = agent;
    const { identity, savings } = group.begins;
    bank.openAccount(wallet);
    if (identity?.x === true || identity?.github === true) sim.linkIdentity(wallet, identity);
    for (const token of TOKENS) {
      const deposit = deposits(agent, token);
      if (deposit > 0) await actions.deposit(agent, deposit, token);
      const saved = units(savings, token, agent);
      if (saved > 0) done(bank.savingsDeposit({ wallet, amount: saved, token }));
    }
  }
}
