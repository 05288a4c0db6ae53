import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
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

const MAX_LINE_BYTES = 4 * 1_024 * 1_024;

/** Interval between looks for new events in real milliseconds. */
const LOOK_MS = 100;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

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

/** The events of a file, then new events until `following` is aborted; starts over after truncation. Throws UsageError if the file is not an event log. */
export async function* eventsOfFile(
  path: string,
  { following, onPresent }: Following,
): AsyncGenerator<LoggedEvent> {
  const file = await opened(path);
  // Offset of the first incomplete line, and how many lines are before it.
  let [at, number] = [0, 0];
  const bad = (what: string) => new UsageError(`${path}: line ${number} ${what}`);
  const eventIn = (value: unknown): LoggedEvent => {
    if (isEvent(value)) return value;
    throw bad('is not an event; expected a file of sim start --log');
  };
  try {
    for (;;) {
      const { size } = await file.stat();
      if (size < at) [at, number] = [0, 0];
      let rest: Buffer = Buffer.alloc(0);
      for await (const chunk of file.createReadStream({ start: at, autoClose: false })) {
        rest = Buffer.concat([rest, chunk as Buffer]);
        for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
          const line = textOf(rest.subarray(0, end));
          rest = rest.subarray(end + 1);
          [at, number] = [at + end + 1, number + 1];
          if (line.trim() !== '') yield eventIn(parsed(line));
        }
        if (rest.length > MAX_LINE_BYTES) {
          number += 1;
          throw bad(`has more than ${MAX_LINE_BYTES} bytes`);
        }
      }
      if (following === null) {
        // The last line has no line end; if the process was killed, it may be incomplete.
        const last = parsed(textOf(rest));
        number += 1;
        if (last !== undefined) yield eventIn(last);
        return;
      }
      onPresent?.();
      await setTimeout(LOOK_MS, undefined, { signal: following }).catch(() => undefined);
      if (following.aborted) return;
    }
  } finally {
    await file.close();
  }
}
