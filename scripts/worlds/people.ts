import { AgentWallet } from '../../src/sdk/client/wallet.js';
import type { AgentClient } from '../../src/sdk/client/client.js';
import type { Simulator } from '../../src/simulator/simulator.js';

/** What somebody comes with, in token units. */
export interface Budget {
  readonly usdc: number;
  readonly sol: number;
}

/** A customer of a world. */
export interface Person {
  readonly client: AgentClient;
  readonly address: string;
}

/** What network fees and token accounts may cost. */
const COSTS_SOL = 0.1;

/** A new customer whose money lies in checking. */
export async function newcomer(sim: Simulator, { usdc, sol }: Budget): Promise<Person> {
  const { address, secretKey } = sim.createWallet();
  await sim.setBalance(address, sol + COSTS_SOL, 'SOL');
  await sim.setBalance(address, usdc, 'USDC');
  const client = sim.agent(AgentWallet.fromSecretKey(secretKey));
  await client.signIn();
  if (usdc > 0) await client.fund(usdc, 'USDC');
  if (sol > 0) await client.fund(sol, 'SOL');
  return { client, address };
}
