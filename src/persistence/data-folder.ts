import canonicalize from 'canonicalize';
import { PUBLISHED_LIMITS } from '../core/domain/bank-limits.js';
import {
  type DataConfig,
  InvalidOptions,
  OF_EACH_RUN,
  type SimulatorOptions,
  resolveConfig,
} from '../runtime/config.js';
import { bankLimitsIn } from '../runtime/limit-options.js';
import { checkpointOf, clockNow, wholeWorld } from './durable/checkpoint.js';
import { type Begun, type FolderWorld, openFolder } from './durable/folder.js';
import { GroupCommitter } from './durable/group-committer.js';
import {
  type PersistedWorld,
  startFromPortable,
  differences,
  ownSeed,
  startFromState,
  stateConfig,
} from './state.js';

function begunOf(options: SimulatorOptions): Begun {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== undefined && name !== 'state' && !OF_EACH_RUN.has(name),
    ),
  );
}

/** The settings of a persisted world that options can name. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  seed: ['seed'],
  withdrawalDelay: ['withdrawalDelayMs'],
  confirmationSlots: ['confirmationSlots'],
};

/** Whether an option agrees with a persisted world. */
function isOf(world: FolderWorld, name: string, value: unknown): boolean {
  if (canonicalize(world.begun[name]) === canonicalize(value)) return true;
  const settings =
    name === 'variants'
      ? Object.keys(value as object).map((variant) => `variants.${variant}`)
      : SETTINGS[name];
  const different = differences(stateConfig(resolveConfig({ [name]: value })), world.config);
  return settings !== undefined && !different.some((setting) => settings.includes(setting));
}

/** Throws InvalidOptions when the options contradict the world in the folder. */
function checkSame(world: FolderWorld, options: SimulatorOptions): void {
  const { dataDir: dir } = options;
  if (options.state !== undefined)
    throw new InvalidOptions(`state: ${dir} already holds a world; a state file can start a new folder only`);
  for (const [name, value] of Object.entries(begunOf(options)))
    if (!isOf(world, name, value)) throw new InvalidOptions(another(name, dir));
  for (const name of bankLimitsIn(options))
    if (options.limits?.[name] !== (world.config.limits?.[name] ?? PUBLISHED_LIMITS[name]))
      throw new InvalidOptions(another(`limits.${name}`, dir));
}

function another(name: string, dir: string | undefined): string {
  return `${name}: the world in ${dir} has a different value; leave the option out to continue that world, or use another folder`;
}

/** Locks the folder that the options name and reads its world. Throws DataError, StateError, InvalidOptions. */
export function openData(options: SimulatorOptions, { dir }: DataConfig) {
  const folder = openFolder(dir);
  try {
    const { world } = folder;
    const begun = begunOf(options);
    if (world !== null) {
      checkSame(world, options);
      return { folder, begun, state: startFromPortable(world, options) };
    }
    const state = options.state === undefined ? null : startFromState(options);
    return {
      folder,
      /** The options of the caller that define the world rather than this run. */
      begun,
      /** `null` to create a new world from the options. */
      state,
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

export type DataFolderStart = ReturnType<typeof openData>;

const IGNORE = () => undefined;

/**
 * Starts persisting a world that was started from its folder, after completing the work in flight at the last write. `onTrouble` is called
 * when the folder becomes unwritable or writable again, and when an incomplete write was cut from its file. The caller must release the
 * folder when this rejects.
 */
export async function keepWorld(
  world: PersistedWorld,
  { folder, begun }: DataFolderStart,
  onTrouble: (message: string) => void,
) {
  // Exceeding the file size limit raises SIGXFSZ, which kills a process without a handler; with one, the write fails.
  if (!process.listeners('SIGXFSZ').includes(IGNORE)) process.on('SIGXFSZ', IGNORE);
  const { bank, clock, config } = world;
  const { fsync, compactAt } = config.data as DataConfig;
  const there = folder.world;
  // Only now: a start takes time too.
  if (there !== null) clock.restore({ ...clockNow(there), mode: clock.mode() });
  const now = checkpointOf(world);
  const disk = there === null ? folder.create(begun, await wholeWorld(world, now)) : folder.open();
  const committer = new GroupCommitter({
    world,
    disk,
    fsync,
    compactAt,
    // By reference the world equals what was read, except for its clock, which has moved on.
    saved: there === null ? now : { ...now, ...there, clockChanges: now.clockChanges - 1 },
    mustRewrite:
      there !== null && (there.config.engine !== config.engine || there.secretSeed !== ownSeed(world)),
    onTrouble,
  });
  bank.feed(committer.listen);
  if (there !== null) {
    if (folder.tornBytes > 0)
      onTrouble(
        `${folder.path}: ${folder.tornBytes} bytes at the end were cut off, because they are an incomplete part of the file. The world is in its state when the last complete part was written, ${new Date(there.wallMs).toISOString()} by the machine's clock. If the process was killed while writing, no acknowledged change is missing. If the file was damaged since, or the machine failed with fsync off, changes after that instant are missing`,
      );
    await bank.resume(there.underWay).catch((error: unknown) => {
      // Without writing: the file still has all work in flight, for the next start.
      disk.close();
      throw error;
    });
    // A failure was reported already; reads continue.
    await committer.whenDurable()?.catch(() => undefined);
  }
  return {
    committer,
    /** Writes pending changes and releases the folder. */
    close: () => committer.close().finally(() => folder.release()),
  };
}

export type DurableWorld = Awaited<ReturnType<typeof keepWorld>>;
