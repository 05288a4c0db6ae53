import { isObject, issueText, parseJson } from '../../core/json.js';
import {
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type Recording,
  type RecordingHeader,
  type RecordingLine,
  recordingHeader,
  recordingLine,
} from '../schema.js';
import { IdAliases } from '../aliases.js';

/** The deepest nesting of a line: no operation takes deeper input. */
const MAX_LEVELS = 200;

/** The file is not a recording, is damaged, or has a newer version. */
export class UnreadableRecording extends RangeError {
  override readonly name = 'UnreadableRecording';
}

/** Reports a malformed line of a file, counted from 1. */
export function damaged(path: string, number: number, what: string): UnreadableRecording {
  return new UnreadableRecording(`${path} is damaged at line ${number}: ${what}`);
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, MAX_LEVELS);
  } catch (error) {
    return error;
  }
}

export function isRecording(text: string): boolean {
  const header = parsed(text.split('\n', 1)[0] as string);
  return isObject(header) && header['format'] === RECORDING_FORMAT;
}

function headerOf(text: string, path: string): RecordingHeader {
  const given = parsed(text);
  const { format = null, version }: Record<string, unknown> = isObject(given) ? given : {};
  if (format !== RECORDING_FORMAT)
    throw new UnreadableRecording(
      `${path} is not a recording of sim start --record: its format is ${JSON.stringify(format)}`,
    );
  if (version !== RECORDING_VERSION)
    throw new UnreadableRecording(
      `${path} is of version ${typeof version === 'number' ? version : 'no number'}, and this agent-bank-sim reads version ${RECORDING_VERSION}`,
    );
  const header = recordingHeader.safeParse(given);
  if (!header.success) throw damaged(path, 1, issueText(header.error));
  return header.data;
}

/** Members of a request that may contain values from responses. */
const ASKED = ['id', 'params', 'query', 'key', 'body'];
const SIGNATURES = ['signature', 'repeats'];

/** Replaces generated values by aliases in a line that was just read. */
function giveAliases(line: RecordingLine, aliases: IdAliases): void {
  const members = line as Record<string, unknown>;
  for (const member of ASKED)
    if (members[member] !== undefined) members[member] = aliases.aliasRequest(members[member]);
  for (const member of SIGNATURES) {
    const signature = members[member];
    if (typeof signature === 'string') members[member] = aliases.give('signature', signature);
  }
  if (members['response'] !== undefined) members['response'] = aliases.aliasResponse(members['response']);
}

/** Parses a file. Throws UnreadableRecording with the reason. */
export function readRecording(text: string, path: string): Recording {
  const rows = text.split('\n');
  const header = headerOf(rows[0] as string, path);
  const aliases = new IdAliases([[header.facts.issuer, '<issuer>']]);
  const lines: { number: number; line: RecordingLine }[] = [];
  for (const [at, row] of rows.entries()) {
    if (at === 0 || row === '') continue;
    const given = parsed(row);
    if (given instanceof Error) {
      // If the process was killed, the last line may be incomplete.
      if (rows.length === at + 1) break;
      throw damaged(path, at + 1, given.message);
    }
    const line = recordingLine.safeParse(given);
    if (!line.success) throw damaged(path, at + 1, issueText(line.error));
    giveAliases(line.data, aliases);
    lines.push({ number: at + 1, line: line.data });
  }
  return { path, header, lines, isCut: !lines.some(({ line }) => line.kind === 'end') };
}
