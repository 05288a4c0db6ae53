import type { CommandRequest } from '../control/command-recorder.js';
import { isDeepValue, jsonOfDeep } from './depth.js';
import type { RecordedAnswer } from './format.js';
import type { SecretRedactor } from './secret-redactor.js';

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

/** The members of a line for what was sent as JSON: a value, or its text when it is nested deeply. */
export function sentMember(name: string, value: unknown, secrets: SecretRedactor): string {
  if (value === undefined) return '';
  return isDeepValue(value)
    ? `,"text":${secrets.redactRequest(JSON.stringify(jsonOfDeep(value)))}`
    : `,"${name}":${secrets.redactRequest(JSON.stringify(value))}`;
}

/** The line of a command. */
export function commandLine(
  { command, method, id, query, body }: CommandRequest,
  { status, body: told }: RecordedAnswer,
  { atMs, secrets }: { readonly atMs: number; readonly secrets: SecretRedactor },
): string {
  const asked = [
    id === '' ? '' : `,"id":${secrets.redactRequest(JSON.stringify(id))}`,
    Object.keys(query).length === 0 ? '' : `,"query":${secrets.redactRequest(JSON.stringify(query))}`,
    sentMember('body', body, secrets),
  ].join('');
  const answer = secrets.redactResponse(JSON.stringify(told));
  return `{"at":${atMs},"kind":"control","command":"${command}","method":"${method}"${asked},"answer":{"status":${status},"body":${answer}}}`;
}
