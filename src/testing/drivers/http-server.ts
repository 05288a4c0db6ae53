import type { Target } from '../scenario/target.js';
import { SimulatorWorld, simulatorFor } from './in-process.js';
import { RpcChain } from './rpc-chain.js';

/** Runs each scenario against its own server over real sockets: API, control interface and JSON-RPC. */
export const httpServer: Target = {
  name: 'http',
  hasControl: true,
  hasChain: true,
  open: async (options) => {
    const sim = await simulatorFor(options);
    const { origin } = await sim.listen();
    const { url } = await sim.listenRpc();
    const chain = new RpcChain({ url, usdcMint: async () => sim.facts.usdcMint, waits: false });
    return new SimulatorWorld(sim, null, { origin, fetch: (to, init) => fetch(to, init), chain });
  },
};
