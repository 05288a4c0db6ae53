import { AgentWallet } from '../sdk/client/wallet.js';
import type { ListensOn } from '../api/origin-guard.js';
import { listen } from '../api/server.js';
import { IN_PROCESS_ORIGIN } from '../core/origins.js';
import { printable } from '../core/printable.js';
import { keySeed } from '../runtime/key-seed.js';
import type { Simulator } from '../simulator/simulator.js';
import { KeyRing } from '../world/keys.js';
import { demoShop } from '../sdk/x402/demo/shop.js';
import { facilitatorAt } from '../sdk/x402/standard/facilitator-at.js';

/** The demo service of `sim start --paywall`. */
export interface RunningPaywall {
  readonly url: string;
  /** The wallet that receives payments. */
  readonly recipient: string;
  close(): Promise<void>;
}

function report(problem: unknown): void {
  process.stderr.write(`PAYWALL ${printable(String(problem))}\n`);
}

/** Starts the demo service, which reports its problems on stderr by default. Rejects with Node's error, such as EADDRINUSE. */
export async function openPaywall(
  simulator: Simulator,
  { onProblem = report, ...at }: ListensOn & { readonly port: number; readonly onProblem?: typeof report },
): Promise<RunningPaywall> {
  const keys = new KeyRing(keySeed(simulator.config));
  const wallet = AgentWallet.fromSecretKey(keys.derive('demo-service').secretKey);
  const shop = demoShop({
    bank: simulator.agent(wallet),
    recipient: wallet.address,
    issuer: simulator.facts.issuerPublicKey,
    clock: { nowMs: () => simulator.now().getTime() },
    stranger: keys.derive('demo-stranger').address,
    facilitator:
      simulator.config.cluster === null
        ? facilitatorAt(`${IN_PROCESS_ORIGIN}/facilitator`, simulator.fetch)
        : null,
    onProblem,
    attach: (part) => simulator.attach(part),
  });
  const server = await listen(shop, {
    ...at,
    refused: (_request, { status, code, message }) =>
      Response.json({ error: message, code, details: {}, payment_request: null }, { status }),
  });
  return { url: server.origin, recipient: wallet.address, close: () => server.close() };
}
