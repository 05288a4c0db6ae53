import bs58 from 'bs58';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EmbeddedEngineName } from '../../src/runtime/config.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import type { Ready } from '../cli/process.js';

/** What a client needs to know of a simulator. */
export type Served = Pick<Ready, 'rpcUrl' | 'webSocketUrl' | 'wallets' | 'treasury' | 'usdcMint'>;

/**
 * A simulator that serves JSON-RPC for all tests of a suite, in this process: web3.test.ts and kit.test.ts send to `sim start`. It must report
 * no bug.
 */
export function simulator(engine: EmbeddedEngineName): () => Served {
  const bugs: unknown[] = [];
  let sim: Simulator | null = null;
  let served: Served | null = null;
  beforeAll(async () => {
    sim = await createSimulator({ engine }, { onBug: (error, where) => bugs.push([where, error]) });
    const { url, webSocketUrl } = await sim.listenRpc({ port: 0 });
    const { treasury, usdcMint } = sim.facts;
    served = { rpcUrl: url, webSocketUrl, wallets: sim.wallets, treasury, usdcMint };
  });
  afterAll(async () => {
    await sim?.close();
    expect(bugs).toEqual([]);
  });
  return () => served ?? expect.fail('the simulator has not started');
}

/** The secret key bytes of a funded wallet. */
export function secretOf({ wallets }: Pick<Ready, 'wallets'>, at: number): Uint8Array {
  return bs58.decode(wallets[at]?.secretKey ?? '');
}
