import { deviations } from '../../core/domain/bank-limits.js';
import type { WorldParts } from '../../runtime/world-parts.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { TimeMode } from '../../world/clock.js';
import { RECORDING_FORMAT, RECORDING_VERSION, type RecordingHeader } from '../schema.js';

export function modeText(mode: TimeMode): string {
  return mode.kind === 'scaled' ? `${mode.factor}x` : mode.kind;
}

/** The header of a recording that begins now, without the world's state. */
export function headerOf(
  { config, clock }: Pick<WorldParts, 'config' | 'clock'>,
  { treasury, usdcMint, issuerPublicKey: issuer }: ServiceFacts,
): Omit<RecordingHeader, 'state'> {
  const { seed, variants, bankLimits, oracle, withdrawalDelayMs, confirmationSlots } = config;
  const limits = deviations(bankLimits);
  const { maxAgeMs, csv, ...sources } = oracle;
  return {
    format: RECORDING_FORMAT,
    version: RECORDING_VERSION,
    software: { node: process.versions.node },
    seed,
    engine: config.engine === 'litesvm' ? 'litesvm' : 'bankrun',
    time: modeText(clock.mode()),
    startTime: new Date(clock.startMs).toISOString(),
    options: {
      variants: { ...variants },
      limits: Object.keys(limits).length === 0 ? undefined : limits,
      oracle: { ...sources, csv: csv ?? undefined, maxAge: maxAgeMs === null ? 'off' : `${maxAgeMs}ms` },
      withdrawalDelay: `${withdrawalDelayMs}ms`,
      confirmationSlots: [confirmationSlots.confirmed, confirmationSlots.finalized],
    },
    facts: { treasury, usdcMint, network: variants.network, issuer },
  };
}
