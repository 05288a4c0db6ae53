import { randomBytes } from 'node:crypto';
import { type SimulatorOptions, resolveConfig } from '../runtime/config.js';
import { keySeed } from '../runtime/key-seed.js';
import { logToOperator } from '../runtime/operator-log.js';

export type StartupState = Awaited<ReturnType<typeof resolveStartup>>;

/** Resolves options to the initial state of a world. Throws InvalidOptions, StateError, DataError. */
export async function resolveStartup(
  options: SimulatorOptions,
  warn: (message: string) => void = logToOperator,
) {
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
    /** Seeds the secrets of tokens and receipts. */
    secretSeed: state?.secretSeed ?? drawn,
    /** What the world continues from; `null` to start at genesis. */
    snapshot: state?.snapshot ?? null,
    /** Whether this state is from the data folder. A state file's contents must be proven instead. */
    isKept,
    /** `null` unless `dataDir` is set. The caller must release its folder when the start fails. */
    data,
  };
}
