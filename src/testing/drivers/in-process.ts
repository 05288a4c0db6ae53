import { AgentWallet, type ChainConnection } from '../../sdk/client/wallet.js';
import { InvalidOptions, type SimulatorOptions } from '../../runtime/config.js';
import { ControlClient } from '../../api/control/client.js';
import { BASE_PATH } from '../../contract/endpoints.js';
import { isAddress } from '../../core/domain/inputs.js';
import type { FetchLike } from '../../core/fetch.js';
import { IN_PROCESS_ORIGIN } from '../../core/origins.js';
import { eventJson } from '../../runtime/events/event.js';
import { processed } from '../../chain/submission.js';
import type { Balances, Holdings } from '../scenario/results.js';
import {
  CannotPlay,
  type ChainAccess,
  type LoggedEvent,
  type OnChain,
  type Target,
  UnusableWorld,
  type World,
} from '../scenario/target.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import { StateError } from '../../persistence/state-file/state-error.js';
import { RpcChain } from './rpc-chain.js';
import { SubstituteSigners } from '../../recording/replay/substitute-signers.js';
import { tokenUnits } from '../../core/domain/money.js';

/** Events read at a time. */
const PAGE = 1_000;

/** The ways by which agents reach a simulator: its API, its control interface and its chain. */
export interface Reach {
  readonly origin: string;
  readonly fetch: FetchLike;
  readonly chain: ChainAccess;
}

/**
 * Calls functions of the simulator, but the chain by way of the JSON-RPC while a fault rule is about it, so that the rule acts. Time limits and
 * the HTTP status are not simulated.
 */
function directly(sim: Simulator): Reach {
  // Sending waits for no confirmation, as over HTTP.
  const connection: ChainConnection = {
    ...sim.chain.connection(),
    sendTransaction: (bytes) => sim.chain.sendTransaction(bytes),
  };
  const withoutPreflight: ChainConnection = {
    ...connection,
    sendTransaction: async (bytes) => {
      const { signature } = processed(await sim.chain.submit(bytes, { skipPreflight: true }));
      return { signature };
    },
  };
  const faulty = new RpcChain({
    url: IN_PROCESS_ORIGIN,
    usdcMint: async () => sim.facts.usdcMint,
    waits: false,
    fetch: async (_url, init) => new Response(await sim.rpc(init?.body as string)),
  });
  const isFaulty = () => sim.faults.list().some(({ rpc }) => rpc !== undefined);
  const either = (direct: ChainConnection, byRpc: ChainConnection): ChainConnection => ({
    latestBlockhash: () => (isFaulty() ? byRpc : direct).latestBlockhash(),
    sendTransaction: (bytes) => (isFaulty() ? byRpc : direct).sendTransaction(bytes),
  });
  const chain: ChainAccess = {
    ...either(connection, faulty),
    withoutPreflight: either(withoutPreflight, faulty.withoutPreflight),
    balances: async (address) => {
      const { lamports, usdcBase } = await sim.chain.balances(address);
      return { usdc: tokenUnits('USDC', usdcBase), sol: tokenUnits('SOL', lamports) };
    },
  };
  return { origin: IN_PROCESS_ORIGIN, fetch: (url, init) => sim.fetch(url, init), chain };
}

/** A simulator as a world. Agents act by its interfaces; what is only looked at is read from the simulator itself. */
export class SimulatorWorld implements World {
  readonly sim: Simulator;
  readonly baseUrl: string;
  readonly seed: string;
  readonly control: ControlClient;
  readonly chain: ChainAccess;
  readonly fetch: FetchLike;
  readonly #standIns: SubstituteSigners | null;

  /** `standIns` sign for addresses when the world lacks the key; null for none. */
  constructor(sim: Simulator, standIns: SubstituteSigners | null = null, reach: Reach = directly(sim)) {
    const { origin, fetch, chain } = reach;
    this.sim = sim;
    this.#standIns = standIns;
    this.baseUrl = origin + BASE_PATH;
    this.seed = sim.config.seed;
    this.fetch = fetch;
    this.control = new ControlClient({ origin, fetch });
    this.chain = chain;
  }

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

  async existingWallet(which: number | string): Promise<AgentWallet> {
    const { wallets } = await this.control.do('wallets');
    const own = typeof which === 'number' ? wallets[which] : wallets.find(({ address }) => address === which);
    if (own !== undefined) return AgentWallet.fromSecretKey(own.secretKey);
    if (typeof which === 'number' || !isAddress(which)) throw new Error(`there is no wallet ${which}`);
    if (this.#standIns === null) throw new CannotPlay(`no key is available for the wallet ${which}`);
    const { secretKey } = this.#standIns.signerFor(which);
    return AgentWallet.standingFor(which, AgentWallet.fromSecretKey(secretKey));
  }

  async nowMs(): Promise<number> {
    return this.sim.now().getTime();
  }

  async holdings(addresses: Readonly<Record<string, string>>): Promise<Balances> {
    const rows = Object.entries(addresses).map(([name, address]) => [name, this.#holdingsOf(address)]);
    return Object.fromEntries(rows) as Balances;
  }

  /** An agent's holdings, combined from chain and books. */
  #holdingsOf(address: string): Holdings {
    const { lamports, usdcBase } = this.sim.chain.balancesByCopy(address);
    const accounts = this.sim.books.of(address);
    const small = ({ USDC, SOL }: { USDC: number; SOL: number }) => ({ usdc: USDC, sol: SOL });
    return {
      wallet: { usdc: tokenUnits('USDC', usdcBase), sol: tokenUnits('SOL', lamports) },
      checking: accounts === null ? null : small(accounts.checking),
      savings: accounts === null ? null : small(accounts.savings),
      debtUsdc: accounts === null ? null : accounts.collateral_loan.USDC + accounts.credit_line.USDC,
    };
  }

  async invariants() {
    return this.sim.invariants();
  }

  async lastEvent(): Promise<number> {
    return this.sim.events.last;
  }

  async eventsAfter(seq: number): Promise<readonly LoggedEvent[]> {
    const found: LoggedEvent[] = [];
    for (let after = seq; ;) {
      const { events } = this.sim.events.page({ after, limit: PAGE });
      found.push(...events.map((event) => eventJson(event) as LoggedEvent));
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return found;
      after = last.seq;
    }
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
async function open(options: SimulatorOptions): Promise<SimulatorWorld> {
  const standIns = new SubstituteSigners('scenario');
  return new SimulatorWorld(await simulatorFor(options, { signatures: standIns }), standIns);
}

export const IN_PROCESS: Target = {
  name: 'in-process',
  hasControl: true,
  hasChain: true,
  open,
};
