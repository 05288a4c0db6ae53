import { randomBytes } from 'node:crypto';
import { type SimulatorConfig, type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import type { DataFolderStart } from '../persistence/data-folder.js';
import { keySeed } from '../runtime/key-seed.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';
import { logToOperator } from '../runtime/operator-log.js';

/** What a world is to begin as. */
export interface StartupState {
  readonly config: SimulatorConfig;
  /** Of the secrets of tokens and receipts. */
  readonly secretSeed: string;
  /** Null for a world that begins with its genesis. */
  readonly snapshot: WorldSnapshot | null;
  /** Null for a world that is kept in memory only. Whoever does not go on with it releases its folder. */
  readonly data: DataFolderStart | null;
}

/** What a world begins as that these options ask for. Throws InvalidOptions, StateError, DataError. */
export async function resolveStartup(
  options: SimulatorOptions,
  tell: (message: string) => void = logToOperator,
): Promise<StartupState> {
  const given = resolveConfig(options);
  const { data: kept } = given;
  const data = kept === null ? null : (await import('../persistence/data-folder.js')).openData(options, kept);
  const isState = data === null && options.state !== undefined;
  const state = isState
    ? (await import('../persistence/state.js')).startFromState(options)
    : (data?.state ?? null);
  const config = state?.config ?? given;
  const drawn = config.freshSecrets ? randomBytes(32).toString('hex') : keySeed(config);
  const isOfFile = state !== null && state.secretSeed !== null && (data?.folder.world ?? null) === null;
  if (isOfFile && config.freshSecrets)
    tell(
      'the secrets of tokens and receipts are those of the state and were not drawn afresh: whoever has its file can sign in its tokens as any agent. A state that was exported without keys has none',
    );
  return { config, secretSeed: state?.secretSeed ?? drawn, snapshot: state?.snapshot ?? null, data };
}
