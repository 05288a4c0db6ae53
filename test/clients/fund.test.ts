import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AgentClient, BankError } from '../../src/sdk/client/client.js';
import { chainAt } from '../../src/sdk/client/chain-at.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { BASE_PATH } from '../../src/contract/endpoints.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { listening } from '../support/listening.js';
import { ENGINES, servedWorld } from '../support/world.js';

const DEV_USDC = 100_000;

/** A served world, and a client that has only its base URL and a dev wallet, like a client in another process. */
async function served(options: SimulatorOptions = {}) {
  const { sim, origin } = await servedWorld(options);
  const rpc = await sim.listenRpc();
  const wallet = AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey ?? '');
  return { sim, rpc, wallet, agent: new AgentClient({ baseUrl: origin + BASE_PATH, wallet }) };
}

describe.each(ENGINES)('AgentClient over HTTP on %s', (engine) => {
  it('funds its account through the RPC that the service names', async () => {
    const { sim, wallet, agent } = await served({ engine });
    for (const [amount, token] of [
      [5, 'USDC'],
      [0.25, 'SOL'],
      [5, 'USDC'],
    ] as const)
      expect(await agent.fund(amount, token)).toMatchObject({
        success: true,
        deposit: { amount, token },
        verification: { sender: wallet.address },
      });
    expect((await agent.account()).checking).toEqual({ usdc: 10, sol: 0.25 });
    expect((await sim.chain.balances(wallet.address)).usdcBase).toBe(BigInt(DEV_USDC - 10) * 1_000_000n);
    expect(await sim.invariants()).toEqual([]);
  });
});

describe('AgentClient over HTTP', () => {
  it('reports the signature of a transaction that is not confirmed in time', async () => {
    const { sim, rpc, wallet } = await served({ confirmationSlots: 2 });
    const chain = chainAt(rpc.url, { patienceMs: 1 });
    const { treasury: to, usdcMint } = sim.facts;
    await expect(wallet.send(chain, { token: 'SOL', to, amount: 1, usdcMint })).rejects.toThrow(
      /^transaction [1-9A-HJ-NP-Za-km-z]{64,88} is not confirmed/,
    );
  });

  it('deposits into the fork whose base URL it has', async () => {
    const { sim, wallet } = await served();
    const { id, fork } = await sim.openFork();
    const { origin } = await sim.listen();
    const agent = new AgentClient({ baseUrl: `${origin}/w/${id}${BASE_PATH}`, wallet });
    await agent.fund(3, 'USDC');
    expect((await fork.agent(0).account()).checking.usdc).toBe(3);
    expect((await sim.agent(0).account()).checking.usdc).toBe(0);
  });

  it("reports the chain's error and deposits nothing", async () => {
    const { agent } = await served();
    const hint =
      /Transaction simulation failed.* \(the wallet \w+ needs 100001 USDC on chain.*npx sim faucet/s;
    await expect(agent.fund(DEV_USDC + 1, 'USDC')).rejects.toMatchObject({
      name: 'ChainRpcError',
      code: -32_002,
      message: expect.stringMatching(hint),
      stack: expect.stringMatching(hint),
    });
    expect((await agent.account()).checking.usdc).toBe(0);
  });

  it('explains what to do when the service names no RPC', async () => {
    const { origin } = await servedWorld();
    const agent = new AgentClient({ baseUrl: origin + BASE_PATH, wallet: AgentWallet.generate() });
    await expect(agent.fund(1, 'SOL')).rejects.toThrow(/does not name an RPC.*rpc_url.*chainAt/s);
    await expect(agent.fund(1, 'SOL')).rejects.not.toBeInstanceOf(BankError);
  });

  it('reports an RPC URL that does not answer JSON-RPC', async () => {
    const web = createServer((_, response) => response.writeHead(502).end('<html>'));
    await expect(chainAt(`http://127.0.0.1:${await listening(web)}`).latestBlockhash()).rejects.toThrow(
      /502.*no JSON-RPC/,
    );
  });
});
