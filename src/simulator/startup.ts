import { randomBytes } from 'node:crypto';
import { type SimulatorConfig, type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import type { DataFolderStart } from '../persistence/data-folder.js';
import { keySeed } from '../runtime/key-seed.js';
import { logToOperator } from '../runtime/operator-log.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';

/** The initial state of a world. */
export interface StartupState {
  readonly config: SimulatorConfig;
  /** Seeds the secrets of tokens and receipts. */
  readonly secretSeed: string;
  /** What the world continues from; `null` to start at genesis. */
  readonly snapshot: WorldSnapshot | null;
  /** Whether that is in the data folder already, rather than in a state file, which must be proven. */
  readonly isKept: boolean;
  /** `null` unless `dataDir` is set. The caller must release its folder when the start fails. */
  readonly data: DataFolderStart | null;
}

/** Resolves options to the initial state of a world. Throws InvalidOptions, StateError, DataError. */
export async function resolveStartup(
  options: SimulatorOptions,
  warn: (message: string) => void = logToOperator,
): Promise<StartupState> {
  const given = resolveConfig(options);
  const { data: dataConfig } = given;
  const data =
    dataConfig === null
      ? null
      : (await import('../persistence/data-folder.js')).openData(options, dataConfig);
  const isState = data === null && options.state !== undefined;
  const state = isState
    ? (await import('../persistence/state.js')).startFromState(options)
    : (data?.state ?? null);
  const config = state?.config ?? given;
  const drawn = config.freshSecrets ? randomBytes(32).toString('hex') : keySeed(config);
  const isKept = data !== null && data.folder.world !== null;
  if (state !== null && state.secretSeed !== null && !isKept && config.freshSecrets)
    warn(
      'the secrets of tokens and receipts are those of the state and were not drawn afresh: whoever has its file can sign in its tokens as any agent. A state that was exported without keys has none',
    );
  return {
    config,
    secretSeed: state?.secretSeed ?? drawn,
    snapshot: state?.snapshot ?? null,
    isKept,
    data,
  };
}
