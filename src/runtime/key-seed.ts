import type { SimulatorConfig } from './config.js';

/**
 * Seeds every key of a world; on a cluster with the treasury's secret, as others could guess keys derived from the seed alone.
 */
export function keySeed({ seed, cluster }: SimulatorConfig): string {
  return cluster === null ? seed : `${seed}/${cluster.treasury.secretKey}`;
}
