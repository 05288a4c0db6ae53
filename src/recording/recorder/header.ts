import { deviations } from '../../core/domain/bank-limits.js';
import type { SimulatorConfig } from '../../runtime/config.js';
import type { WorldParts } from '../../runtime/world-parts.js';
import type { ServiceFacts } from '../../api/http/discovery.js';
import type { TimeMode } from '../../world/clock.js';
import { RECORDING_FORMAT, RECORDING_VERSION, type RecordingHeader } from '../schema.js';

export function modeText(mode: TimeMode): string {
  return mode.kind === 'scaled' ? `${mode.factor}x` : mode.kind;
}

/** The options behind a resolved configuration, without seed, engine, time and the initial state. */
function optionsOf({
  variants,
  bankLimits,
  oracle,
  withdrawalDelayMs,
  confirmationSlots,
}: SimulatorConfig): RecordingHeader['options'] {
  const limits = deviations(bankLimits);
  const { maxAgeMs, csv, ...sources } = oracle;
  const { confirmed, finalized } = confirmationSlots;
  return {
    variants: { ...variants },
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    oracle: {
      ...sources,
      ...(csv === null ? {} : { csv }),
      maxAge: maxAgeMs === null ? 'off' : `${maxAgeMs}ms`,
    },
    withdrawalDelay: `${withdrawalDelayMs}ms`,
    confirmationSlots: [confirmed, finalized],
  };
}

/** The header of a recording that begins now, without the world's state. */
export function headerOf(
  { config, clock }: Pick<WorldParts, 'config' | 'clock'>,
  { treasury, usdcMint, issuerPublicKey: issuer }: ServiceFacts,
): Omit<RecordingHeader, 'state'> {
  return {
    format: RECORDING_FORMAT,
    version: RECORDING_VERSION,
    software: { node: process.versions.node },
    seed: config.seed,
    engine: config.engine === 'litesvm' ? 'litesvm' : 'bankrun',
    time: modeText(clock.mode()),
    startTime: new Date(clock.startMs).toISOString(),
    options: optionsOf(config),
    facts: { treasury, usdcMint, network: config.variants.network, issuer },
  };
}
