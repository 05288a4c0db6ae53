import { expect, onTestFinished } from 'vitest';
import type { AgentClient } from '../../src/sdk/client/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { type DevWallet, type Simulator, createSimulator } from '../../src/index.js';
import { Command } from '../cli/process.js';

/** A running cluster: a simulator in a process of its own. */
export interface Cluster {
  readonly command: Command;
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly usdcMint: string;
  readonly wallets: readonly DevWallet[];
}

/** Starts a second simulator in its own process: its JSON-RPC is the cluster. */
export async function startCluster(...args: string[]): Promise<Cluster> {
  const command = new Command(['start', '--json', '--quiet', '--port', '0', '--engine', 'litesvm', ...args]);
  const ready = JSON.parse(await command.printed('\n')) as Omit<Cluster, 'command'>;
  return { ...ready, command };
}

/** Kills a cluster. */
export async function stop({ command }: Cluster): Promise<void> {
  await command.endedBy('SIGKILL');
}

/** A dev wallet of the cluster. */
export function at(cluster: Pick<Cluster, 'wallets'>, index: number): DevWallet {
  const wallet = cluster.wallets[index];
  if (wallet === undefined) throw new Error(`no dev wallet ${index}`);
  return wallet;
}

/** A bank on a cluster; one of the cluster's dev wallets is its treasury. */
export async function bankOn(
  cluster: Pick<Cluster, 'rpcUrl' | 'wallets'>,
  treasury: number,
  options: Partial<SimulatorOptions> = {},
): Promise<Simulator> {
  const sim = await createSimulator({
    engine: 'cluster',
    clusterUrl: cluster.rpcUrl,
    treasuryKey: at(cluster, treasury).secretKey,
    ...options,
  });
  onTestFinished(() => sim.close());
  return sim;
}

/** A signed-in client of the bank, whose wallet is a dev wallet of the cluster. */
export async function agentOf(sim: Simulator, cluster: Cluster, index: number): Promise<AgentClient> {
  const agent = sim.agent(AgentWallet.fromSecretKey(at(cluster, index).secretKey));
  await agent.signIn();
  return agent;
}

/** Expects that books and chain agree. */
export async function sound(sim: Simulator): Promise<void> {
  expect(await sim.invariants()).toEqual([]);
}
