import { BANK_LIMITS } from '../../core/domain/bank-limits.js';
import { isInstant } from '../../core/domain/calendar.js';
import { isAddress } from '../../core/domain/inputs.js';
import {
  type Numbered,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type Recording,
  type RecordingHeader,
  type RecordingLine,
} from '../../api/recorder/format.js';
import { RECORDED_OPTIONS } from '../../api/recorder/header.js';
import { isTooDeep, wrongIn } from './line-check.js';
import { IdAliases } from '../../api/recorder/id-aliases.js';
import { UnreadableRecording, damaged } from './recording-error.js';
import { isObject } from '../../core/json.js';

type Line = Record<string, unknown>;

function objectOf(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether a text starts like a recording. */
export function isRecording(text: string): boolean {
  const end = text.indexOf('\n');
  return objectOf(end < 0 ? text : text.slice(0, end))?.['format'] === RECORDING_FORMAT;
}

/** Describes what is wrong with options; null if a world can be created from them. The world validates their values. */
function wrongInOptions(options: Line): string | null {
  const strange = Object.keys(options).find((option) => !RECORDED_OPTIONS.has(option));
  if (strange !== undefined) return `no recording has the option ${strange}`;
  const { variants = {}, limits = {}, oracle = {}, confirmationSlots = [] } = options;
  const areSlots = Array.isArray(confirmationSlots) && confirmationSlots.every(Number.isInteger);
  const areOfBank = isObject(limits) && Object.keys(limits).every((name) => name in BANK_LIMITS);
  const isWhole = isObject(variants) && areOfBank && isObject(oracle) && areSlots;
  return isWhole ? null : 'the options are not what they must be';
}

function wrongInHeader({ seed, engine, time, startTime, options, facts, state }: Line): string | null {
  const isWhole =
    [seed, time].every((member) => typeof member === 'string') &&
    isInstant(startTime) &&
    (engine === 'bankrun' || engine === 'litesvm') &&
    isObject(options) &&
    isObject(facts) &&
    (state === null || typeof state === 'string');
  if (!isWhole) return 'the header is not complete';
  const { treasury, usdcMint, issuer } = facts;
  const areAddresses = [treasury, usdcMint, issuer].every(
    (fact) => typeof fact === 'string' && isAddress(fact),
  );
  return areAddresses ? wrongInOptions(options) : 'the facts are no addresses';
}

function headerOf(text: string, path: string): RecordingHeader {
  const header = objectOf(text);
  if (header?.['format'] !== RECORDING_FORMAT)
    throw new UnreadableRecording(
      `${path} is no recording of sim start --record: its format is ${JSON.stringify(header?.['format'] ?? null)}`,
    );
  const { version } = header;
  if (version !== RECORDING_VERSION)
    throw new UnreadableRecording(
      `${path} is of version ${typeof version === 'number' ? version : 'no number'}, and this agent-bank-sim reads version ${RECORDING_VERSION}`,
    );
  const wrong = wrongInHeader(header);
  if (wrong !== null) throw damaged(path, 1, wrong);
  return header as unknown as RecordingHeader;
}

/** Members of a request that may refer to values from answers. */
const ASKED = ['id', 'params', 'query', 'key', 'body', 'text'] as const;
const SIGNATURES = ['signature', 'repeats'] as const;

/** Replaces generated values by aliases in a line that was just read. */
function giveNames(line: Line, names: IdAliases): void {
  for (const member of ASKED) {
    if (line[member] !== undefined) line[member] = names.aliasRequest(line[member]);
  }
  for (const member of SIGNATURES) {
    const signature = line[member];
    if (typeof signature === 'string') line[member] = names.give('signature', signature);
  }
  if (line['answer'] !== undefined) line['answer'] = names.aliasResponse(line['answer']);
}

/** Parses a file. Throws UnreadableRecording with the reason. */
export function readRecording(text: string, path: string): Recording {
  const rows = text.split('\n');
  const header = headerOf(rows[0] ?? '', path);
  const names = new IdAliases([[header.facts.issuer, '<issuer>']]);
  const lines: Numbered[] = [];
  let isCut = true;
  for (let at = 1; at < rows.length; at += 1) {
    const row = rows[at] as string;
    if (row === '') continue;
    const line = objectOf(row);
    // If the process was killed, the last line may be incomplete.
    if (line === null && rows.length === at + 1) break;
    if (line === null) throw damaged(path, at + 1, 'it is no JSON object');
    const wrong = isTooDeep(row) ? 'it is nested too deeply' : wrongIn(line);
    if (wrong !== null) throw damaged(path, at + 1, wrong);
    if (line['kind'] === 'end') isCut = false;
    giveNames(line, names);
    lines.push({ number: at + 1, line: line as unknown as RecordingLine });
  }
  return { path, header, lines, isCut };
}
