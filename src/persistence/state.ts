import { type BankLimits, PUBLISHED_LIMITS, deviations } from '../core/domain/bank-limits.js';
import canonicalize from 'canonicalize';
import { LIMITS } from '../core/limits.js';
import { UnreadableFile, readUserFile } from '../core/user-file.js';
import {
  type EmbeddedEngineName,
  InvalidOptions,
  OF_EACH_RUN,
  type SimulatorConfig,
  type SimulatorOptions,
  resolveConfig,
  timeMode,
} from '../runtime/config.js';
import {
  type PortableState,
  type StateConfig,
  checksumOf,
  readState,
  writeState,
} from './state-file/file.js';
import { proveFold } from './state-file/books.js';
import { StateError, inconsistent } from './state-file/state-error.js';
import { keySeed } from '../runtime/key-seed.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';
import type { WorldParts } from '../runtime/world-parts.js';

/** A state file: its bytes or its path. */
export type StateSource = Uint8Array | string;

export interface StateStart extends Pick<PortableState, 'snapshot' | 'secretSeed'> {
  readonly config: SimulatorConfig;
}

/** The bytes of a state file. Throws InvalidOptions when it cannot be read. */
function bytesOf(source: StateSource): Uint8Array {
  if (typeof source !== 'string') return source;
  try {
    return readUserFile(source, LIMITS.stateBytes.most);
  } catch (error) {
    throw error instanceof UnreadableFile ? new InvalidOptions(`state: ${error.message}`) : error;
  }
}

/** The part of a configuration that a state file carries. */
export function stateConfig(config: SimulatorConfig): StateConfig {
  const { seed, engine, variants, withdrawalDelayMs, confirmationSlots, oracle } = config;
  const limits = deviations(config.bankLimits);
  return {
    seed,
    engine: engine as EmbeddedEngineName,
    variants,
    withdrawalDelayMs,
    confirmationSlots,
    maxAgeMs: oracle.maxAgeMs,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** Resolves a state file together with the caller's options. Throws StateError, InvalidOptions. */
export function startFromState(options: SimulatorOptions): StateStart {
  if (options.state === undefined) throw new InvalidOptions('state: missing');
  return startFromPortable(readState(bytesOf(options.state)), options);
}

/** Resolves a decoded state together with the caller's options. Throws InvalidOptions. */
export function startFromPortable(
  { config, snapshot, secretSeed }: PortableState,
  options: SimulatorOptions,
): StateStart {
  const { maxAgeMs, limits: bankLimits, ...rules } = config;
  const { nowMs } = snapshot.clock;
  const mode = options.time === undefined ? snapshot.clock.mode : timeMode(options.time);
  const ofThisRun = Object.entries(options).filter(([name]) => OF_EACH_RUN.has(name));
  const base = resolveConfig(Object.fromEntries(ofThisRun));
  return {
    config: {
      ...base,
      ...rules,
      bankLimits: { ...PUBLISHED_LIMITS, ...(bankLimits as Partial<BankLimits>) },
      engine: options.engine ?? rules.engine,
      time: mode,
      startMs: nowMs,
      oracle: { ...base.oracle, maxAgeMs },
    },
    snapshot: { ...snapshot, clock: { ...snapshot.clock, mode } },
    secretSeed,
  };
}

/** The parts of a world that are written and restored. */
export type PersistedWorld = Pick<
  WorldParts,
  'config' | 'events' | 'bank' | 'clock' | 'scheduler' | 'snapshots' | 'secretSeed'
>;

/** Characters of a checksum that identify a state in the event log. */
const SHORT = 16;

/** The origin of secrets; null when they derive from the seed. */
export function ownSeed({ config, secretSeed }: PersistedWorld): string | null {
  return secretSeed === keySeed(config) ? null : secretSeed;
}

/** Encodes the world as a state file; `atOnce` is called synchronously with taking the snapshot. */
export async function exportWorld(
  world: PersistedWorld,
  { withKeys = false, atOnce }: { withKeys?: boolean; atOnce?: () => void },
): Promise<Uint8Array> {
  const { config, events, scheduler, snapshots } = world;
  const snapshot = await scheduler.runExclusiveAfterOverdue(async () => {
    const canonical = await snapshots.captureCanonical();
    atOnce?.();
    return canonical;
  });
  const secretSeed = withKeys ? ownSeed(world) : null;
  const state = writeState({ config: stateConfig(config), snapshot, secretSeed });
  events.append({ kind: 'world', what: 'exported', id: checksumOf(state).slice(0, SHORT) }, null);
  return state;
}

/**
 * Restores what a state file holds, after decoding all of it, and proves it: the books follow from their journal and match the chain. Must
 * run exclusively. Throws StateError; the caller must then restore or close the world.
 */
export async function restoreProven(
  { bank, snapshots }: PersistedWorld,
  snapshot: WorldSnapshot,
): Promise<void> {
  try {
    proveFold(snapshot.bank.books);
    // Attached parts return to their state when they were attached: this world may send transactions whose signatures they already know.
    await snapshots.restore({ ...snapshot, attached: {} });
    const [violation] = await bank.invariants();
    if (violation !== undefined) throw new RangeError(`${violation.rule}: ${violation.text}`);
  } catch (error) {
    throw inconsistent((error as Error).message);
  }
}

/** Replaces a world by a state file, then calls `onReplaced`. Throws StateError and InvalidOptions before anything is changed. */
export async function importWorld(
  world: PersistedWorld,
  source: StateSource,
  onReplaced: () => void,
): Promise<void> {
  const { config, events, scheduler, snapshots, secretSeed } = world;
  const bytes = bytesOf(source);
  const state = readState(bytes);
  checkSameWorld(state, { config: stateConfig(config), secretSeed });
  await scheduler.runExclusive(async () => {
    const before = snapshots.captureUnchecked();
    try {
      await restoreProven(world, state.snapshot);
    } catch (error) {
      await snapshots.restore(before);
      throw error;
    }
    onReplaced();
    scheduler.rollbackCount += 1;
    events.append({ kind: 'world', what: 'imported', id: checksumOf(bytes).slice(0, SHORT) }, null);
  });
}

/** The names of differing settings. Engines may differ: the chain behaves equally on all of them. */
export function differences(here: StateConfig, there: StateConfig): string[] {
  const differ = (a: object, b: object, prefix: string) =>
    Object.entries(a)
      .filter(([name, value]) => canonicalize(value) !== canonicalize((b as Record<string, unknown>)[name]))
      .map(([name]) => prefix + name);
  const { variants: mine, limits: myLimits, ...ours } = here;
  const { variants: others, limits: otherLimits, ...theirs } = there;
  return [
    ...differ({ ...ours, engine: theirs.engine }, theirs, ''),
    ...differ(mine, others, 'variants.'),
    ...differ({ ...PUBLISHED_LIMITS, ...myLimits }, { ...PUBLISHED_LIMITS, ...otherLimits }, 'limits.'),
  ];
}

/** Throws StateError when a world cannot be replaced by a state, since its keys or rules differ. */
function checkSameWorld(
  state: PortableState,
  here: { readonly config: StateConfig; readonly secretSeed: string },
): void {
  const different = differences(here.config, state.config);
  const hasOtherKeys = state.secretSeed !== null && state.secretSeed !== here.secretSeed;
  if (hasOtherKeys) different.push('secrets of tokens and receipts');
  if (different.length === 0) return;
  throw new StateError(
    'state_of_another_world',
    `The state is from another world. This world has a different ${different.join(', ')}. Start a world from it instead: sim start --state FILE.`,
  );
}
