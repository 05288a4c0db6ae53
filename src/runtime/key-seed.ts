import type { SimulatorConfig } from './config.js';

/** Seeds every key of a world. On a cluster others are about, so nobody may know them who has not the treasury's. */
export function keySeed({ seed, cluster }: SimulatorConfig): string {
  return cluster === null ? seed : `${seed}/${cluster.treasury.secretKey}`;
}
