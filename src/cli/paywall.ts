import { AgentWallet } from '../sdk/client/wallet.js';
import type { ListensOn } from '../api/origin-guard.js';
import { listen } from '../api/server.js';
import { IN_PROCESS_ORIGIN } from '../core/origins.js';
import { printable } from '../core/printable.js';
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

/** The wallet of the demo service: derived from the seed, or random on a cluster, where the seed is not secret. */
function walletOf({ config }: Simulator): AgentWallet {
  if (config.cluster !== null) return AgentWallet.generate();
  return AgentWallet.fromSecretKey(new KeyRing(config.seed).derive('demo-service').secretKey);
}

function report(problem: unknown): void {
  process.stderr.write(`PAYWALL ${printable(String(problem))}\n`);
}

/** Starts the demo service, which reports its problems on stderr by default. Rejects with Node's error, such as EADDRINUSE. */
export async function openPaywall(
  simulator: Simulator,
  { onProblem = report, ...at }: ListensOn & { readonly port: number; readonly onProblem?: typeof report },
): Promise<RunningPaywall> {
  const wallet = walletOf(simulator);
  const shop = demoShop({
    bank: simulator.agent(wallet),
    recipient: wallet.address,
    issuer: simulator.facts.issuerPublicKey,
    clock: { nowMs: () => simulator.now().getTime() },
    stranger: new KeyRing(simulator.config.seed).derive('demo-stranger').address,
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
