import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { issueText } from '../../core/json.js';
import { type PortableState, STATE_LAYOUT, readState } from '../state-file/file.js';
import { decoded } from '../state-file/codec.js';
import { CHANGES_LAYOUT, type RecoveredWorld, applyChanges, firstFrame, underWay } from './checkpoint.js';
import { DATA_FILE, WriteAheadFile, NEXT_FILE, syncFolder } from './write-ahead-file.js';
import { DataError } from './data-error.js';
import { type ReadFile, newHead, readFrames } from './frames.js';
import { isLock, lockFolder } from './lock.js';

/** Digest of the layout of data files: a build with another layout cannot read them. */
export const DATA_LAYOUT = createHash('sha256')
  .update(`${STATE_LAYOUT} ${underWay.layout} ${CHANGES_LAYOUT}`)
  .digest('hex')
  .slice(0, 16);

const SALT_BYTES = 16;

/** The options that a world was created with, by name. */
export type Begun = Readonly<Record<string, unknown>>;

const header = z.object({
  begun: z.record(z.string(), z.unknown()),
  layout: z.string(),
  /** Random, and unknown before the file is created, so that no customer's text can be mistaken for a frame. */
  salt: z.string().optional(),
});

export interface FolderWorld extends RecoveredWorld, Pick<PortableState, 'config' | 'secretSeed'> {
  readonly begun: Begun;
}

function worldOf({ head, frames: [first, ...rest] }: ReadFile): FolderWorld {
  try {
    const { begun, layout } = header.parse(JSON.parse(head.json));
    if (layout !== DATA_LAYOUT)
      throw new DataError(
        'data_of_another_version',
        'the data was written by another version of agent-bank-sim, whose layout differs. Use that version.',
      );
    const { state, ...recovered } = decoded(firstFrame, first.payload);
    const { snapshot, ...portable } = readState(state);
    const world = rest.reduce(applyChanges, { snapshot, ...recovered });
    return { ...world, ...portable, begun };
  } catch (error) {
    if (error instanceof DataError) throw error;
    // The checksums match, so it was not written by a simulator.
    const why = error instanceof z.ZodError ? issueText(error, 'header') : (error as Error).message;
    throw new DataError('data_damaged', `the data is inconsistent (${why})`);
  }
}

/** Adds the path to a DataError, and turns Node's errors into one. */
function reached<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DataError) throw new DataError(error.code, `${path}: ${message}`);
    throw code === undefined ? error : new DataError('data_unreachable', `${path} cannot be used (${code})`);
  }
}

/** Throws DataError for a folder with files that do not belong to a world. */
function checkOwn(path: string): void {
  const names = readdirSync(path);
  const other = names.find((name) => name !== NEXT_FILE && !isLock(name));
  if (!names.includes(DATA_FILE) && other !== undefined)
    throw new DataError(
      'not_a_data_folder',
      `the folder holds other files (${other}) and no world; use an empty or a new folder`,
    );
  // Reading a pipe would block until it is written to.
  if (names.includes(DATA_FILE) && !statSync(join(path, DATA_FILE)).isFile())
    throw new DataError('not_a_data_folder', `${DATA_FILE} is not a file; use another folder`);
}

/** Makes the names of new folders durable, from the innermost to the outermost. */
function syncParents(last: string, first: string): void {
  try {
    for (let at = last; at.length >= first.length; at = dirname(at)) syncFolder(dirname(at));
  } catch {
    // The folder is usable even if the one above is unreadable; only a machine failure soon after can lose its name.
  }
}

/** Locks a folder and reads its world; creates the folder when it is missing. Throws DataError. */
export function openFolder(path: string) {
  return reached(path, () => {
    const first = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (first !== undefined) syncParents(resolve(path), resolve(first));
    checkOwn(path);
    const release = lockFolder(path);
    try {
      return { ...readFolder(path), release };
    } catch (error) {
      release();
      throw error;
    }
  });
}

function readFolder(path: string) {
  const file = existsSync(join(path, DATA_FILE)) ? readFrames(readFileSync(join(path, DATA_FILE))) : null;
  const world = file === null ? null : worldOf(file);
  // Left by a compaction that was interrupted.
  rmSync(join(path, NEXT_FILE), { force: true });
  return {
    path,
    /** `null` for a folder without a world. */
    world,
    /** Bytes cut from the end because they are not a whole frame: an interrupted write, or damage. */
    tornBytes: file?.tornBytes ?? 0,
    /** Opens the file for appending changes to its world. */
    open: () => reached(path, () => WriteAheadFile.open(path, file as ReadFile)),
    create: (begun: Begun, payload: Uint8Array) => {
      const salt = randomBytes(SALT_BYTES).toString('hex');
      const json = JSON.stringify({ begun, layout: DATA_LAYOUT, salt } satisfies z.input<typeof header>);
      return reached(path, () => WriteAheadFile.create(path, newHead(json), payload));
    },
  };
}
