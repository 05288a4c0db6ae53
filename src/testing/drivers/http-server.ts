import { AgentWallet } from '../../sdk/client/wallet.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import { ControlClient } from '../../api/control/client.js';
import { BASE_PATH } from '../../contract/endpoints.js';
import type { Balances, Holdings } from '../scenario/results.js';
import type { ChainAccess, FetchLike, LoggedEvent, OnChain, Target, World } from '../scenario/target.js';
import { allEvents } from './all-events.js';
import { existingWallet } from './existing-wallet.js';
import { holdingsOf } from './holdings.js';
import { factsOf } from './service-facts.js';
import { simulatorFor } from './in-process.js';
import { RpcChain } from './rpc-chain.js';

/** A world behind real sockets: API, control interface and JSON-RPC. */
class ServedWorld implements World {
  readonly baseUrl: string;
  readonly engine: string;
  readonly seed: string;
  readonly fetch: FetchLike = (url, init) => fetch(url, init);
  readonly control: ControlClient;
  readonly chain: ChainAccess;
  readonly facts: World['facts'];
  readonly #stop: () => Promise<void>;

  constructor(at: {
    origin: string;
    rpcUrl: string;
    engine: string;
    seed: string;
    stop: () => Promise<void>;
  }) {
    this.baseUrl = at.origin + BASE_PATH;
    this.engine = at.engine;
    this.seed = at.seed;
    this.control = new ControlClient({ origin: at.origin });
    this.facts = factsOf(this.baseUrl, this.fetch);
    this.chain = new RpcChain({
      url: at.rpcUrl,
      usdcMint: async () => (await this.facts()).usdcMint,
      waits: false,
    });
    this.#stop = at.stop;
  }

  async createAgent(_name: string, { usdc, sol }: OnChain): Promise<AgentWallet> {
    const { address, secretKey } = await this.control.do('createWallet');
    for (const [token, amount] of [['SOL', sol] as const, ['USDC', usdc] as const])
      if (amount > 0) await this.control.do('setBalance', { body: { address, amount, token } });
    return AgentWallet.fromSecretKey(secretKey);
  }

  existingWallet(which: number | string): Promise<AgentWallet> {
    return existingWallet(this.control, which, null);
  }

  async nowMs(): Promise<number> {
    return Date.parse((await this.control.do('time')).now);
  }

  async holdings(addresses: Readonly<Record<string, string>>): Promise<Balances> {
    const balances: Record<string, Holdings> = {};
    for (const [name, id] of Object.entries(addresses)) {
      const { chain, accounts } = await this.control.do('holdings', { id });
      balances[name] = holdingsOf(chain, accounts);
    }
    return balances;
  }

  async invariants() {
    return (await this.control.do('invariants')).violations;
  }

  async lastEvent(): Promise<number> {
    return (await this.control.do('events', { query: { limit: 1 } })).last;
  }

  eventsAfter(seq: number): Promise<readonly LoggedEvent[]> {
    return allEvents(
      seq,
      async (query) => (await this.control.do('events', { query })).events as LoggedEvent[],
    );
  }

  close(): Promise<void> {
    return this.#stop();
  }
}

async function open(options: SimulatorOptions): Promise<World> {
  const sim = await simulatorFor(options);
  const { origin } = await sim.listen();
  const { url: rpcUrl } = await sim.listenRpc();
  const { engine, seed } = sim.config;
  return new ServedWorld({ origin, rpcUrl, engine, seed, stop: () => sim.close() });
}

/** Runs each scenario against its own server over real sockets: API, control interface and JSON-RPC. */
export const httpServer: Target = {
  name: 'http',
  hasControl: true,
  hasChain: true,
  open,
};
