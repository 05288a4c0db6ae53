import { AgentWallet } from '../../sdk/client/wallet.js';
import { InvalidOptions, type SimulatorOptions } from '../../runtime/config.js';
import { ControlClient } from '../../api/control/client.js';
import { BASE_PATH } from '../../contract/endpoints.js';
import { eventJson } from '../../runtime/events/event.js';
import { processed } from '../../chain/submission.js';
import type { Balances } from '../scenario/results.js';
import {
  type ChainAccess,
  type LoggedEvent,
  type OnChain,
  type Target,
  UnusableWorld,
  type World,
} from '../scenario/target.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import { StateError } from '../../persistence/state-file/state-error.js';
import { SubstituteSigners } from '../../recording/replay/substitute-signers.js';
import { allEvents } from './all-events.js';
import { existingWallet } from './existing-wallet.js';
import { holdingsOf } from './holdings.js';
import { tokenUnits } from '../../core/domain/money.js';

const ORIGIN = 'http://sim.local';

/** The chain of an in-process world; `changed` is called for every transaction. */
function chainOf(sim: Simulator, changed: () => void): ChainAccess {
  const connection = sim.chain.connection();
  return {
    ...connection,
    sendTransaction: (bytes) => {
      changed();
      return connection.sendTransaction(bytes);
    },
    withoutPreflight: {
      ...connection,
      sendTransaction: async (bytes) => {
        changed();
        const { signature } = processed(await sim.chain.submit(bytes, { skipPreflight: true }));
        return { signature };
      },
    },
    balances: async (address) => {
      const { lamports, usdcBase } = await sim.chain.balances(address);
      return { usdc: tokenUnits('USDC', usdcBase), sol: tokenUnits('SOL', lamports) };
    },
  };
}

export class InProcessWorld implements World {
  readonly sim: Simulator;
  readonly baseUrl = ORIGIN + BASE_PATH;
  readonly engine: string;
  readonly seed: string;
  readonly control: ControlClient;
  readonly chain: ChainAccess;
  /** Version of the world when its invariants last held. */
  #sound = '';
  /** Holdings of the agents, with the version of the world that they belong to. */
  #held: { readonly version: string; readonly balances: Balances } = { version: '', balances: {} };
  /** Counts commands and transactions of agents: they may change state that no other counter covers. */
  #changes = 0;

  readonly #standIns: SubstituteSigners | null;

  /** `standIns` sign for addresses when the world lacks the key; null for none. */
  constructor(sim: Simulator, standIns: SubstituteSigners | null = null) {
    this.sim = sim;
    this.#standIns = standIns;
    this.engine = sim.config.engine;
    this.seed = sim.config.seed;
    this.control = new ControlClient({
      origin: ORIGIN,
      fetch: (url, init) => {
        this.#changes += 1;
        return sim.fetch(url, init);
      },
    });
    this.chain = chainOf(sim, () => {
      this.#changes += 1;
    });
  }

  fetch = (url: string, init?: RequestInit): Promise<Response> => this.sim.fetch(url, init);

  async facts() {
    const { treasury, usdcMint, issuerPublicKey } = this.sim.facts;
    return { treasury, usdcMint, issuer: issuerPublicKey };
  }

  async createAgent(_name: string, { usdc, sol }: OnChain): Promise<AgentWallet> {
    const { address, secretKey } = this.sim.createWallet();
    if (sol > 0) await this.sim.setBalance(address, sol, 'SOL');
    if (usdc > 0) await this.sim.setBalance(address, usdc, 'USDC');
    return AgentWallet.fromSecretKey(secretKey);
  }

  existingWallet(which: number | string): Promise<AgentWallet> {
    return existingWallet(this.control, which, this.#standIns);
  }

  async nowMs(): Promise<number> {
    return this.sim.now().getTime();
  }

  async holdings(addresses: Readonly<Record<string, string>>): Promise<Balances> {
    const version = `${this.#version()} ${Object.keys(addresses).join(' ')}`;
    if (this.#held.version === version) return this.#held.balances;
    const balances: Record<string, ReturnType<typeof holdingsOf>> = {};
    for (const [name, address] of Object.entries(addresses)) {
      const { lamports, usdcBase } = this.sim.chain.balancesByCopy(address);
      const held = { USDC: tokenUnits('USDC', usdcBase), SOL: tokenUnits('SOL', lamports) };
      balances[name] = holdingsOf(held, this.sim.books.of(address));
    }
    this.#held = { version, balances };
    return balances;
  }

  async invariants() {
    const version = this.#version();
    if (version === this.#sound) return [];
    const broken = await this.sim.invariants();
    this.#sound = broken.length === 0 ? version : '';
    return broken;
  }

  /** Changes with every possible change to books or chain. */
  #version(): string {
    const { books, chain } = this.sim;
    return `${books.entries()} ${chain.slot()} ${this.sim.now().getTime()} ${this.#changes}`;
  }

  async lastEvent(): Promise<number> {
    return this.sim.events.last;
  }

  eventsAfter(seq: number): Promise<readonly LoggedEvent[]> {
    return allEvents(seq, async (asked) =>
      this.sim.events.page(asked).events.map((event) => eventJson(event) as LoggedEvent),
    );
  }

  close(): Promise<void> {
    return this.sim.close();
  }
}

/** Creates a simulator with these options. Rejects with UnusableWorld for invalid options. */
export async function simulatorFor(
  options: SimulatorOptions,
  hooks?: Parameters<typeof createSimulator>[1],
): Promise<Simulator> {
  try {
    return await createSimulator({ time: 'frozen', ...options }, hooks);
  } catch (error) {
    throw error instanceof InvalidOptions || error instanceof StateError
      ? new UnusableWorld(error.message)
      : error;
  }
}

/** Customers in an imported state may have keys that the world does not contain: other wallets stand in for them. */
async function open(options: SimulatorOptions): Promise<InProcessWorld> {
  const standIns = new SubstituteSigners('scenario');
  return new InProcessWorld(await simulatorFor(options, { signatures: standIns.verify() }), standIns);
}

/** Runs each scenario in a fresh in-process world. */
export const IN_PROCESS: Target = {
  name: 'in-process',
  hasControl: true,
  hasChain: true,
  open,
};
