import type { SimulatorConfig } from './config.js';

/** Seeds every key of a world; on a cluster also with the treasury's secret, so that keys cannot be guessed. */
export function keySeed({ seed, cluster }: SimulatorConfig): string {
  return cluster === null ? seed : `${seed}/${cluster.treasury.secretKey}`;
}
