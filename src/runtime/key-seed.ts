import type { SimulatorConfig } from './config.js';

/**
 * Seeds every key of a world. Includes the treasury's secret on a cluster, where others could guess keys
 * derived from the seed alone.
 */
export function keySeed({ seed, cluster }: SimulatorConfig): string {
  return cluster === null ? seed : `${seed}/${cluster.treasury.secretKey}`;
}
