import { DECIMALS, TOKENS, type Token } from '../../../core/domain/money.js';
import { messageOf } from '../../../core/domain/errors.js';
import { walletAccount } from '../../../chain/genesis.js';
import { associatedTokenAddress, tokenAccount } from '../../../chain/solana/token-accounts.js';
import { madeKey } from '../../../runtime/dev-wallets.js';
import type { Simulator } from '../../../simulator/simulator.js';
import type { AgentFile } from '../../scenario/file/schema.js';
import { Random } from '../random.js';
import { fraction, seedOf } from '../design.js';
import type { PersonaGroup } from '../population.js';
import type { Actions } from './actions.js';
import { StudyAgent, baseUnits, wholeUnits } from './agent.js';

/** SOL that a wallet has in addition to its funds, for fees and rent. */
const FOR_FEES_SOL = 0.05;

/** The amount of a persona for one agent, in token units. */
function units(money: AgentFile['checking'], token: Token, { factor }: StudyAgent): number {
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

/** Deposits the initial funds of the agents on chain. */
export async function openAccounts(
  sim: Simulator,
  agents: readonly StudyAgent[],
  actions: Actions,
): Promise<void> {
  const { bank } = sim;
  const deposits = (agent: StudyAgent, token: Token): number => {
    const { checking, savings } = agent.group.begins;
    // Both are whole base units; as a number, their sum can be slightly too small.
    return Number((units(checking, token, agent) + units(savings, token, agent)).toFixed(DECIMALS[token]));
  };
  const { usdcMint } = bank.addresses;
  await sim.accounts.write(
    agents.flatMap((agent) => {
      const { wallet, group } = agent;
      const has = (token: Token) => units(group.begins, token, agent) + deposits(agent, token);
      return [
        { pubkey: wallet, account: walletAccount(baseUnits(has('SOL') + FOR_FEES_SOL, 'SOL')) },
        {
          pubkey: associatedTokenAddress(wallet, usdcMint),
          account: tokenAccount(usdcMint, wallet, baseUnits(has('USDC'), 'USDC')),
        },
      ];
    }),
  );
  for (const agent of agents) {
    const { wallet, group } = agent;
    const { identity: { x = false, github = false } = {}, savings } = group.begins;
    bank.openAccount(wallet);
    if (x || github) await sim.linkIdentity(wallet, { x, github });
    for (const token of TOKENS) {
      const deposit = deposits(agent, token);
      if (deposit > 0) await actions.deposit(agent, deposit, token);
      const saved = units(savings, token, agent);
      if (saved === 0) continue;
      const result = bank.savingsDeposit({ wallet, amount: saved, token });
      if (!result.ok) throw new Error(`the initial funds of an agent: ${messageOf(result.refusal)}`);
    }
  }
}
