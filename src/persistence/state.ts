import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import {
  type EmbeddedEngineName,
  InvalidOptions,
  type SimulatorConfig,
  type SimulatorOptions,
  resolveConfig,
  timeMode,
} from '../runtime/config.js';
import type { EventLog } from '../runtime/events/log.js';
import { allEntries } from '../core/journal/memory.js';
import {
  type PortableState,
  type StateConfig,
  checksumOf,
  readState,
  writeState,
} from './state-file/file.js';
import { StateError } from './state-file/state-error.js';
import type { Scheduler } from '../runtime/scheduler.js';
import { keySeed } from '../runtime/key-seed.js';
import type { EmbeddedChain } from '../runtime/embedded-chain.js';
import type { WorldSnapshot, SnapshotStore } from '../runtime/snapshot-store.js';
import { type StateSummary, summaryOf } from './state-summary.js';

/** So many of the last entries are shown when nobody says how many. */
const LAST_ENTRIES = 10;

/** A state: its bytes, or the path of a file that holds them. */
export type StateSource = Uint8Array | string;

/** Where a world begins that is a state's. */
export interface StateStart extends Pick<PortableState, 'snapshot' | 'secretSeed'> {
  readonly config: SimulatorConfig;
}

/** The bytes of a state. Throws InvalidOptions for a file that cannot be read. */
function bytesOf(source: StateSource): Uint8Array {
  if (typeof source !== 'string') return source;
  try {
    return readFileSync(source);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InvalidOptions(`state: ${source} cannot be read (${code})`);
  }
}

/** What a state holds, with so many of its last entries. Throws StateError, InvalidOptions. */
export function showState(source: StateSource, options: { entries?: number } = {}): StateSummary {
  return summaryOf(readState(bytesOf(source)), options.entries ?? LAST_ENTRIES);
}

/** Of a configuration what a state carries. */
export function stateConfig(config: SimulatorConfig): StateConfig {
  const { seed, engine, variants, withdrawalDelayMs, confirmationSlots, oracle } = config;
  return {
    seed,
    engine: engine as EmbeddedEngineName,
    variants,
    withdrawalDelayMs,
    confirmationSlots,
    maxAgeMs: oracle.maxAgeMs,
  };
}

/** The world that a state and the options beside it make. Throws StateError, InvalidOptions. */
export function startFromState(options: SimulatorOptions): StateStart {
  if (options.state === undefined) throw new InvalidOptions('state: there is none');
  return startFromPortable(readState(bytesOf(options.state)), options);
}

/** The same for a state that was read. Throws InvalidOptions. */
export function startFromPortable(
  { config, snapshot, secretSeed }: PortableState,
  options: SimulatorOptions,
): StateStart {
  const { engine, seed, variants, withdrawalDelayMs, confirmationSlots, maxAgeMs } = config;
  const chosen = options.engine ?? engine;
  const { nowMs } = snapshot.clock;
  const mode = options.time === undefined ? snapshot.clock.mode : timeMode(options.time);
  const { dataDir, fsync, compactAt, limits } = options;
  const base = resolveConfig({ dataDir, fsync, compactAt, limits });
  return {
    config: {
      ...base,
      seed,
      engine: chosen,
      variants,
      withdrawalDelayMs,
      confirmationSlots,
      time: mode,
      startMs: nowMs,
      oracle: { ...base.oracle, maxAgeMs },
      freshSecrets: options.freshSecrets ?? false,
    },
    snapshot: { ...snapshot, clock: { ...snapshot.clock, mode } },
    secretSeed,
  };
}

/** The insides of a world that is exported, or that becomes what a state says. */
export interface WorldInternals {
  readonly world: { readonly config: SimulatorConfig; readonly events: EventLog };
  readonly ground: EmbeddedChain;
  readonly scheduler: Scheduler;
  readonly snapshots: SnapshotStore;
  /** Of the secrets of tokens and receipts. */
  readonly secretSeed: string;
}

/** So many characters of a checksum tell states apart in the event log. */
const SHORT = 16;

/** The world as it is, as the bytes of a state; `atOnce` is called before anything else may happen. */
export async function exportWorld(
  { world: { config, events }, ground, scheduler, snapshots, secretSeed }: WorldInternals,
  { withKeys = false, atOnce }: { withKeys?: boolean; atOnce?: () => void },
): Promise<Uint8Array> {
  const snapshot = await scheduler.runExclusive(async () => {
    const settled = await snapshots.captureCanonical(ground);
    atOnce?.();
    return settled;
  });
  const ownSeed = withKeys && secretSeed !== keySeed(config) ? secretSeed : null;
  const state = writeState({ config: stateConfig(config), snapshot, secretSeed: ownSeed });
  events.append({ kind: 'world', what: 'exported', id: checksumOf(state).slice(0, SHORT) }, null);
  return state;
}

/** Its checksum is right, so whoever wrote it was no simulator. */
function notWhatItSays(error: unknown): StateError {
  return new StateError(
    'state_damaged',
    `The state is damaged: what it holds is not what it says (${(error as Error).message}).`,
  );
}

/** Reads what a mark of a state holds in blocks that nobody has asked for yet. Throws StateError. */
function decodeState({ bank, ground }: WorldSnapshot): void {
  try {
    const entries = allEntries(bank.books.entries);
    if (entries.includes(undefined as never)) throw new RangeError('entries are missing');
    for (const record of ground.chain.history.log) void record.touched;
  } catch (error) {
    throw notWhatItSays(error);
  }
}

/** Makes a world what a state says; `onReplaced` is called when it is. Throws StateError and InvalidOptions before anything is changed. */
export async function importWorld(
  internals: WorldInternals,
  source: StateSource,
  onReplaced: () => void,
): Promise<void> {
  const { world, ground, scheduler, snapshots, secretSeed } = internals;
  const { config, events } = world;
  const bytes = bytesOf(source);
  const state = readState(bytes);
  checkSameWorld(state, { config: stateConfig(config), secretSeed });
  decodeState(state.snapshot);
  await scheduler.runExclusive(async () => {
    const before = snapshots.captureUnchecked(ground);
    try {
      await snapshots.restore(state.snapshot, ground);
    } catch (error) {
      await snapshots.restore(before, ground);
      throw notWhatItSays(error);
    }
    onReplaced();
    events.append({ kind: 'world', what: 'imported', id: checksumOf(bytes).slice(0, SHORT) }, null);
  });
}

/** What of two configurations differs, in words. Engines may: the chain is the same on all of them. */
function differences(here: StateConfig, there: StateConfig): string[] {
  const differ = (a: object, b: object, prefix: string) =>
    Object.entries(a)
      .filter(([name, value]) => canonicalize(value) !== canonicalize((b as Record<string, unknown>)[name]))
      .map(([name]) => prefix + name);
  const { variants: mine, ...ours } = here;
  const { variants: others, ...theirs } = there;
  return [...differ({ ...ours, engine: theirs.engine }, theirs, ''), ...differ(mine, others, 'variants.')];
}

/** Fails when a world cannot become what a state says, since its keys or its rules are others. Throws StateError. */
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
    `The state is of another world than the one that runs here, which has another ${different.join(', another ')}. Begin a world with it instead: sim start --state FILE.`,
  );
}
