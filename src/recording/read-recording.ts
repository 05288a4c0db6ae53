import {
  type Numbered,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type Recording,
  type RecordingHeader,
  type RecordingLine,
} from './format.js';
import { Names, isName } from './names.js';
import { UnreadableRecording } from './recording-error.js';

const KINDS: ReadonlySet<string> = new Set<RecordingLine['kind']>([
  'wallet',
  'call',
  'rpc',
  'control',
  'send',
  'clock',
  'end',
]);

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Whether a text begins as a recording does, of whatever version. */
export function isRecording(text: string): boolean {
  const end = text.indexOf('\n');
  return objectOf(end < 0 ? text : text.slice(0, end))?.['format'] === RECORDING_FORMAT;
}

function headerOf(text: string, path: string): RecordingHeader {
  const header = objectOf(text);
  if (header?.['format'] !== RECORDING_FORMAT)
    throw new UnreadableRecording(
      `${path} is no recording of sim start --record: its format is ${JSON.stringify(header?.['format'] ?? null)}`,
    );
  const { version, seed, engine, time, startTime, options, facts, state } = header;
  if (typeof version === 'number' && version > RECORDING_VERSION)
    throw new UnreadableRecording(
      `${path} is of version ${version}, and this agent-bank-sim reads up to ${RECORDING_VERSION}: use a newer one`,
    );
  const isWhole =
    typeof version === 'number' &&
    version >= 1 &&
    [seed, time, startTime].every((member) => typeof member === 'string') &&
    (engine === 'bankrun' || engine === 'litesvm') &&
    [options, facts].every((member) => typeof member === 'object' && member !== null) &&
    (state === null || typeof state === 'string');
  if (!isWhole) throw new UnreadableRecording(`${path} is damaged at line 1: the header is not complete`);
  return header as unknown as RecordingHeader;
}

function isLine(line: Record<string, unknown> | null): line is Record<string, unknown> {
  if (line === null || typeof line['kind'] !== 'string' || !KINDS.has(line['kind'])) return false;
  if (line['kind'] === 'wallet')
    return typeof line['name'] === 'string' && typeof line['address'] === 'string';
  if (typeof line['at'] !== 'number') return false;
  const named = { call: 'operation', rpc: 'method', control: 'command' }[line['kind']];
  return named === undefined || (typeof line[named] === 'string' && line['answer'] !== undefined);
}

/** Members of what was sent that may refer to what an answer has told. */
const ASKED = ['id', 'params', 'query', 'key', 'body', 'text'] as const;
/** Members that are signatures of transactions. */
const SIGNATURES = ['signature', 'repeats'] as const;

/** Gives names to what the world has made up, in a line that was just read. */
function name(line: Record<string, unknown>, names: Names): void {
  for (const member of ASKED) {
    if (line[member] !== undefined) line[member] = names.asked(line[member]);
  }
  for (const member of SIGNATURES) {
    const signature = line[member];
    if (typeof signature === 'string' && !isName(signature))
      line[member] = names.give('signature', signature);
  }
  if (line['answer'] !== undefined) line['answer'] = names.told(line['answer']);
}

/** Reads the text of a file. Throws UnreadableRecording with what is wrong. */
export function readRecording(text: string, path: string): Recording {
  const rows = text.split('\n');
  const header = headerOf(rows[0] ?? '', path);
  const names = new Names([[header.facts.issuer, '<issuer>']]);
  const lines: Numbered[] = [];
  let isCut = true;
  for (let at = 1; at < rows.length; at += 1) {
    const row = rows[at] as string;
    if (row === '') continue;
    const line = objectOf(row);
    // The last line of a process that was killed may be half a line.
    if (line === null && rows.length === at + 1) break;
    if (!isLine(line)) throw new UnreadableRecording(`${path} is damaged at line ${at + 1}`);
    if (line['kind'] === 'end') isCut = false;
    name(line, names);
    lines.push({ number: at + 1, line: line as unknown as RecordingLine });
  }
  return { header, lines, isCut };
}
