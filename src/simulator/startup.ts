import { randomBytes } from 'node:crypto';
import { type SimulatorConfig, type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import type { DataFolderStart } from '../persistence/data-folder.js';
import { keySeed } from '../runtime/key-seed.js';
import { logToOperator } from '../runtime/operator-log.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';

export interface StartupState {
  readonly config: SimulatorConfig;
  /** Seeds the secrets of tokens and receipts. */
  readonly secretSeed: string;
  /** What the world continues from; `null` to start at genesis. */
  readonly snapshot: WorldSnapshot | null;
  /** Whether this state is from the data folder. A state file's contents must be proven instead. */
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
      'the state file contains the secrets of tokens and receipts, and this world uses them: anyone who has the file can sign in as any agent. Export a state without keys to leave them out',
    );
  return {
    config,
    secretSeed: state?.secretSeed ?? drawn,
    snapshot: state?.snapshot ?? null,
    isKept,
    data,
  };
}
