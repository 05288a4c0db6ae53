import type { AskedCommand } from '../control/tape.js';
import type { RecordedAnswer } from './format.js';
import type { Names } from './names.js';

/** Commands that look at what is no part of the world, or that are of bytes. */
const APART = new Set([
  'events',
  'explain',
  'exportState',
  'importState',
  'startRecording',
  'stopRecording',
  'recording',
]);

/** Commands whose effects name no request. */
const OF_NOBODY = new Set(['snapshot', 'revert', 'fork', 'dropFork']);

/** Whether a command has a place in a recording. */
export function isRecorded(command: string): boolean {
  return !APART.has(command);
}

/** Whether what a command does to the world tells no request. */
export function tellsNoRequest(command: string | null): boolean {
  return command !== null && OF_NOBODY.has(command);
}

/** The line of a command. */
export function commandLine(
  { command, method, id, query, body }: AskedCommand,
  { status, body: told }: RecordedAnswer,
  { atMs, names }: { readonly atMs: number; readonly names: Names },
): string {
  const asked = [
    id === '' ? '' : `,"id":${names.asked(JSON.stringify(id))}`,
    Object.keys(query).length === 0 ? '' : `,"query":${names.asked(JSON.stringify(query))}`,
    body === undefined ? '' : `,"body":${names.asked(JSON.stringify(body))}`,
  ].join('');
  const answer = names.told(JSON.stringify(told));
  return `{"at":${atMs},"kind":"control","command":"${command}","method":"${method}"${asked},"answer":{"status":${status},"body":${answer}}}`;
}
