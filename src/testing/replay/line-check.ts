import { timeMode } from '../../runtime/config.js';
import { endpoints } from '../../contract/endpoints.js';
import { COMMANDS, type Command } from '../../api/control/commands.js';
import { LAST_INSTANT_MS } from '../../core/domain/calendar.js';
import { isAddress } from '../../core/domain/inputs.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { isRecorded } from '../../api/recorder/command-line.js';
import { isDeep } from '../../api/recorder/depth.js';
import type { RecordingLine } from '../../api/recorder/format.js';
import { isObject } from '../../core/json.js';

/** A line parsed from JSON. */
type Line = Readonly<Record<string, unknown>>;

/** Describes what is wrong with a line; null if it can be played. */
type Check = (line: Line) => string | null;

/** Maximum nesting: no operation takes deeper input. */
const DEEPEST = 200;

/** Maximum characters shown of an invalid value. */
const LONGEST = 40;

const OPERATIONS: ReadonlySet<string> = new Set(Object.keys(endpoints(DEFAULT_VARIANTS)));
const RECORDED_COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries(COMMANDS).filter(([name]) => isRecorded(name)) as [string, Command][],
);
const SIGNED: ReadonlySet<unknown> = new Set(['right', 'wrong', 'missing']);
const LONE_SURROGATE = /\p{Surrogate}/u;

function shown(value: unknown): string {
  const text = value === undefined ? 'of no name' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function isInstant(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= LAST_INSTANT_MS;
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** Path or query parameters: strings by name. */
function areTexts(value: unknown): boolean {
  if (value === undefined) return true;
  return isObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

/** Whether a text can be part of a URL. */
function fitsIntoPath(text: unknown): boolean {
  return text === undefined || (typeof text === 'string' && !LONE_SURROGATE.test(text));
}

function wrongText(line: Line, ...members: readonly string[]): string | null {
  const wrong = members.find((member) => !isTextOrNothing(line[member]));
  return wrong === undefined ? null : `${wrong} is no text`;
}

/** An HTTP answer, or null for a lost one. */
function wrongAnswer(answer: unknown): string | null {
  if (answer === null || (isObject(answer) && Number.isInteger(answer['status']))) return null;
  return 'answer is no answer';
}

/** Whether its message can be parsed is checked on replay: parsing takes as long as reading several lines. */
function wrongTransaction(given: unknown): string | null {
  if (!isObject(given)) return 'transaction is none';
  const { message, signed, blockhash } = given;
  if (typeof message !== 'string') return 'the message of the transaction is no text';
  if (!Array.isArray(signed) || !signed.every((how) => SIGNED.has(how)))
    return 'signed must say right, wrong or missing for each signer';
  const isAge =
    blockhash === 'old' ||
    blockhash === 'nonce' ||
    (Number.isSafeInteger(blockhash) && (blockhash as number) >= 0);
  return isAge ? null : 'blockhash must be its age in slots, nonce or old';
}

const call: Check = (line) => {
  const { operation, params, query, answer } = line;
  if (typeof operation !== 'string' || !OPERATIONS.has(operation))
    return `there is no operation ${shown(operation)}`;
  if (!areTexts(params) || !fitsIntoPath((params as Line | undefined)?.['id']))
    return 'params must be texts by their names';
  if (!areTexts(query)) return 'query must be texts by their names';
  return wrongText(line, 'who', 'auth', 'key', 'text') ?? wrongAnswer(answer);
};

const rpc: Check = (line) => {
  const { method, transaction, config, answer } = line;
  if (typeof method !== 'string') return 'method is no text';
  if (config !== undefined && !isObject(config)) return 'config is no object';
  if (answer !== null && !isObject(answer)) return 'answer is no answer';
  const error = answer?.['error'];
  if (error !== undefined && !(isObject(error) && typeof error['code'] === 'number'))
    return 'error must have a code';
  return (
    wrongText(line, 'who', 'signature', 'repeats', 'text') ??
    (transaction === undefined ? null : wrongTransaction(transaction))
  );
};

const control: Check = (line) => {
  const { command, method, id, query, answer } = line;
  const known = typeof command === 'string' ? RECORDED_COMMANDS.get(command) : undefined;
  if (known === undefined) return `recordings have no command ${shown(command)}`;
  if (method !== known.method) return `the method of ${command as string} is ${known.method}`;
  if (!fitsIntoPath(id)) return 'id is no text';
  if (!areTexts(query)) return 'query must be texts by their names';
  return wrongText(line, 'text') ?? wrongAnswer(answer);
};

const send: Check = (line) => {
  const { signature, answer, transaction } = line;
  if (typeof signature !== 'string') return 'signature is no text';
  if (!isObject(answer)) return 'answer is no answer';
  return wrongText(line, 'who') ?? wrongTransaction(transaction);
};

function isTimeMode(mode: unknown): boolean {
  if (typeof mode !== 'string') return false;
  try {
    const read = timeMode(mode);
    return read.kind !== 'scaled' || Number.isFinite(read.factor);
  } catch {
    return false;
  }
}

const clock: Check = ({ to, mode, missing }) => {
  if (missing !== undefined && typeof missing !== 'string') return 'missing is no text';
  if (to !== undefined && !isInstant(to)) return 'to is no instant';
  return mode === undefined || isTimeMode(mode) ? null : 'mode must be real, frozen or a factor such as 60x';
};

const wallet: Check = ({ name, address, key }) => {
  if (typeof name !== 'string') return 'name is no text';
  if (typeof address !== 'string' || !isAddress(address)) return 'address is no address';
  return key === null || typeof key === 'string' ? null : 'key must be the name of a key, or null';
};

const end: Check = () => null;

const CHECKS: ReadonlyMap<unknown, Check> = new Map<RecordingLine['kind'], Check>([
  ['call', call],
  ['rpc', rpc],
  ['control', control],
  ['send', send],
  ['clock', clock],
  ['wallet', wallet],
  ['end', end],
]);

/** Describes what is wrong with a line of a recording; null if it can be played. */
export function wrongIn(line: Line): string | null {
  const { kind, at } = line;
  const check = CHECKS.get(kind);
  if (check === undefined) return `there is no kind ${shown(kind)}`;
  if (kind !== 'wallet' && !isInstant(at)) return 'at is no instant';
  return check(line);
}

/** Counts occurrences in a text, up to a bound. */
function countOf(text: string, part: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= most; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

/** Whether JSON text is nested more deeply than anything that can be played. */
export function isTooDeep(text: string): boolean {
  // Fast path: most texts are too short, or have too few opening brackets.
  if (text.length <= 2 * DEEPEST) return false;
  if (countOf(text, '{', DEEPEST) + countOf(text, '[', DEEPEST) <= DEEPEST) return false;
  return isDeep(text, DEEPEST);
}
