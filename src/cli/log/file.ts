import { on } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { textOf } from '../../core/request-body.js';
import { UsageError, fileError } from '../usage.js';
import { type LoggedEvent, isEvent } from './event.js';

/** Which events to read: the existing ones, or also new ones. */
export interface Following {
  /** Aborting it stops following; null to read existing events only. */
  readonly following: AbortSignal | null;
  /** Called between the existing events and the new ones, when following. */
  readonly onPresent?: (() => void) | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const MAX_LINE_BYTES = 4 * 1_024 * 1_024;

/** Opens a file for reading. Throws UsageError if it cannot be read. */
async function opened(path: string): Promise<FileHandle> {
  let what: string;
  try {
    // Checked before opening, because opening a named pipe would block.
    const found = await stat(path);
    if (found.isFile()) return await open(path);
    what = found.isDirectory() ? 'a folder' : 'not a regular file';
  } catch (error) {
    throw fileError(path, 'read', error);
  }
  throw new UsageError(`${path} is ${what}; expected a file of sim start --log`);
}

/** Yields the events appended since the last read; at the end, also an event without a line break. Skips lines that a crash cut short. */
type Read = (part: { readonly isEnd: boolean }) => AsyncGenerator<LoggedEvent>;

function reader(path: string, handle: FileHandle): Read {
  /** The offset of the first incomplete line, and the number of lines before it. */
  let [at, number] = [0, 0];
  const eventsIn = function* (line: string): Generator<LoggedEvent> {
    number += 1;
    if (line.trim() === '') return;
    const value = parsed(line);
    if (isEvent(value)) yield value;
    else if (value !== undefined || !line.startsWith('{'))
      throw new UsageError(`${path}: line ${number} is not an event; expected a file of sim start --log`);
  };
  return async function* read({ isEnd }) {
    const { size } = await handle.stat();
    // The file was truncated: start over.
    if (size < at) [at, number] = [0, 0];
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of handle.createReadStream({ start: at, autoClose: false })) {
      rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      let begin = 0;
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, begin)) {
        const line = textOf(rest.subarray(begin, end));
        at += end + 1 - begin;
        begin = end + 1;
        yield* eventsIn(line);
      }
      rest = rest.subarray(begin);
      if (rest.length > MAX_LINE_BYTES)
        throw new UsageError(`${path}: line ${number + 1} has more than ${MAX_LINE_BYTES} bytes`);
    }
    if (isEnd) yield* eventsIn(textOf(rest));
  };
}

async function* followed(
  read: Read,
  path: string,
  { following, onPresent }: Following & { readonly following: AbortSignal },
): AsyncGenerator<LoggedEvent> {
  let watcher: FSWatcher | undefined;
  try {
    // Watching starts before reading, so that no change is missed.
    watcher = watch(path);
    const changes = on(watcher, 'change', { signal: following });
    yield* read({ isEnd: false });
    onPresent?.();
    for await (const _change of changes) yield* read({ isEnd: false });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!following.aborted) throw fileError(path, 'read', error);
  } finally {
    watcher?.close();
  }
}

/** The events of a file, then new events until `following` is aborted; starts over after truncation. Throws UsageError if the file is not an event log. */
export async function* eventsOfFile(
  path: string,
  { following, onPresent }: Following,
): AsyncGenerator<LoggedEvent> {
  const handle = await opened(path);
  const read = reader(path, handle);
  try {
    yield* following === null ? read({ isEnd: true }) : followed(read, path, { following, onPresent });
  } finally {
    await handle.close();
  }
}
