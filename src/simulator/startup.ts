import { randomBytes } from 'node:crypto';
import { type SimulatorConfig, type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import type { DataFolderStart } from '../persistence/data-folder.js';
import { keySeed } from '../runtime/key-seed.js';
import type { PersistedWorld, StateStart } from '../persistence/state.js';
import { logToOperator } from '../runtime/operator-log.js';

/** The initial state of a world. */
export interface StartupState {
  readonly config: SimulatorConfig;
  /** Seeds the secrets of tokens and receipts. */
  readonly secretSeed: string;
  /**
   * Restores what the world continues from; `null` to start at genesis. A state file is proven, the simulator's own data folder is not.
   * Throws StateError.
   */
  readonly begin: ((world: PersistedWorld) => Promise<void>) | null;
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
  const isOfFile = state !== null && state.secretSeed !== null && (data?.folder.world ?? null) === null;
  if (isOfFile && config.freshSecrets)
    warn(
      'the secrets of tokens and receipts are those of the state and were not drawn afresh: whoever has its file can sign in its tokens as any agent. A state that was exported without keys has none',
    );
  return { config, secretSeed: state?.secretSeed ?? drawn, begin: beginFrom(state, data), data };
}

function beginFrom(state: StateStart | null, data: DataFolderStart | null): StartupState['begin'] {
  if (state === null) return null;
  const { snapshot } = state;
  if ((data?.folder.world ?? null) !== null) return ({ snapshots }) => snapshots.restore(snapshot);
  return async (world) => (await import('../persistence/state.js')).restoreProven(world, snapshot);
}
