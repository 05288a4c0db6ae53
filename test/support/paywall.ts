import { onTestFinished } from 'vitest';
import { openPaywall } from '../../src/cli/paywall.js';
import type { Simulator } from '../../src/simulator/simulator.js';

/** Opens the paywall of a world until the end of the test; gives its URL. A problem of the demo service fails the test. */
export async function paywallOf(sim: Simulator, allowHosts: readonly string[] = []): Promise<string> {
  const onProblem = (problem: unknown) => {
    throw new Error('the demo service failed', { cause: problem });
  };
  const paywall = await openPaywall(sim, { host: '127.0.0.1', port: 0, allowHosts, onProblem });
  onTestFinished(() => paywall.close());
  return paywall.url;
}
