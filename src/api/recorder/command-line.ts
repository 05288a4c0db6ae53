import type { CommandRequest } from '../pipeline/recorder-port.js';
import { isDeepValue, jsonOfDeep } from './depth.js';
import type { RecordedAnswer } from './format.js';
import type { SecretRedactor } from './secret-redactor.js';

/** Commands about the log, requests or recordings, which are no part of the world, or with a binary body. */
const APART = new Set([
  'events',
  'explain',
  'customers',
  'customer',
  'requestSeries',
  'history',
  'revertBefore',
  'compare',
  'exportJournal',
  'exportState',
  'importState',
  'startRecording',
  'stopRecording',
  'scenarioOfRecording',
  'recording',
]);

/** Commands whose events carry no request id. */
const WITHOUT_REQUEST_ID = new Set(['snapshot', 'revert', 'fork', 'dropFork']);

/** Whether a command is recorded. */
export function isRecorded(command: string): boolean {
  return !APART.has(command);
}

/** Whether the events of a command carry no request id. */
export function tellsNoRequest(command: string | null): boolean {
  return command !== null && WITHOUT_REQUEST_ID.has(command);
}

/** The member of a line for a JSON value from a request: the value, or its text when it is nested deeply. */
export function sentMember(name: string, value: unknown, secrets: SecretRedactor): string {
  if (value === undefined) return '';
  return isDeepValue(value)
    ? `,"text":${secrets.redactRequest(JSON.stringify(jsonOfDeep(value)))}`
    : `,"${name}":${secrets.redactRequest(JSON.stringify(value))}`;
}

export function commandLine(
  { command, method, id, query, body }: CommandRequest,
  { status, body: answerBody }: RecordedAnswer,
  { atMs, secrets }: { readonly atMs: number; readonly secrets: SecretRedactor },
): string {
  const request = [
    id === '' ? '' : `,"id":${secrets.redactRequest(JSON.stringify(id))}`,
    Object.keys(query).length === 0 ? '' : `,"query":${secrets.redactRequest(JSON.stringify(query))}`,
    sentMember('body', body, secrets),
  ].join('');
  const answer = secrets.redactResponse(JSON.stringify(answerBody));
  return `{"at":${atMs},"kind":"control","command":"${command}","method":"${method}"${request},"answer":{"status":${status},"body":${answer}}}`;
}
