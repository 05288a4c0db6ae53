import type { AgentFile } from '../file/schema.js';
import type { Actor } from './actor.js';
import { type Step, plainStep } from '../scenario.js';
import type { StepResult } from '../results.js';
import type { ScenarioContext } from './scenario-context.js';
import type { ScenarioRunner } from './scenario-runner.js';

const DEFAULT_SOL = 1;
/** Fee of a transaction with one signature. Source: Solana's fee of 5,000 lamports per signature. */
const FEE_SOL = 0.000_005;

function plus(a: number | undefined, b: number | undefined, c: number | undefined): number {
  // Rounded to base units: sums such as 0.1 + 0.2 would be more precise than any token.
  return Math.round(((a ?? 0) + (b ?? 0) + (c ?? 0)) * 1e9) / 1e9;
}

/** Adds an agent to a scenario, with a new wallet unless it names one. Rejects with CannotPlay if that is impossible. */
export async function addAgent(context: ScenarioContext, name: string, agent: AgentFile): Promise<Actor> {
  const { world } = context;
  const wallet =
    agent.wallet === undefined
      ? await world.createAgent(name, walletOf(agent))
      : await world.existingWallet(agent.wallet);
  return context.addAgent(name, wallet);
}

/** Wallet balances needed before the account is opened, so that the stated balances remain afterwards. */
function walletOf({ usdc, sol, checking, savings }: AgentFile): { usdc: number; sol: number } {
  const units = ['usdc', 'sol'] as const;
  const deposits = units.filter((unit) => plus(checking?.[unit], savings?.[unit], 0) > 0).length;
  return {
    usdc: plus(usdc, checking?.usdc, savings?.usdc),
    sol: plus(sol ?? DEFAULT_SOL, checking?.sol, (savings?.sol ?? 0) + deposits * FEE_SOL),
  };
}

export function openingSteps(name: string, { checking, savings, identity }: AgentFile): Step[] {
  const act = (verb: string, args: object) =>
    plainStep(`${name}.${verb}`, { kind: 'agent', agent: name, verb, args });
  const steps: Step[] = [];
  if (identity !== undefined) {
    const args = { of: name, x: identity.x ?? false, github: identity.github ?? false };
    steps.push(plainStep('identity.link', { kind: 'world', verb: 'identity.link', args }));
  }
  for (const [token, unit] of [['USDC', 'usdc'] as const, ['SOL', 'sol'] as const]) {
    const saved = savings?.[unit] ?? 0;
    const whole = plus(checking?.[unit], saved, 0);
    if (whole > 0) steps.push(act('deposit', { amount: whole, token }));
    if (saved > 0) steps.push(act('savings.deposit', { amount: saved, token }));
  }
  return steps;
}

/** Sets up agents: wallets first, then balances at the bank. */
export async function openAgents(
  agents: readonly (readonly [string, AgentFile])[],
  context: ScenarioContext,
  runner: ScenarioRunner,
): Promise<StepResult[]> {
  for (const [name, agent] of agents) await addAgent(context, name, agent);
  return runner.all(
    agents.flatMap(([name, agent]) => openingSteps(name, agent)),
    '0.',
  );
}
