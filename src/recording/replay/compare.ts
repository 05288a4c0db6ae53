import { asJson, isObject } from '../../core/json.js';
import { parseInstant } from '../../core/domain/calendar.js';
import type { AliasBindings } from '../aliases.js';
import { REQUEST, SECRET_NAME, isName, plainText } from '../aliases.js';

export interface Difference {
  /** Path in the response, such as `balance.current`; `status`, `response` and `clock` are literal. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Members that are positions in the chain. */
const SLOTS = new Set(['slot', 'lastValidBlockHeight', 'blockHeight']);
const BLOCK_TIME = 'blockTime';
/** Not compared: a replay serves no RPC. */
const RPC_URL = 'rpcUrl';
/** Members that are sentences for people and not part of the interface's contract. */
const SENTENCES = new Set(['error', 'message', 'text']);
const ANYTHING = new Set([REQUEST, SECRET_NAME, '<token>']);

const ORIGINS = /https?:\/\/[^/\s"]+/g;

/** Whether two texts differ only in the address of their simulator. */
function isElsewhere(expected: string, actual: unknown): boolean {
  if (typeof actual !== 'string' || !expected.includes('://')) return false;
  return expected.replace(ORIGINS, 'http:') === actual.replace(ORIGINS, 'http:');
}

type Members = Readonly<Record<string, unknown>>;

function at(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

export class Comparison {
  readonly #bindings: AliasBindings;
  readonly #instantMs: () => number;
  readonly differences: Difference[] = [];

  /**
   * `instantMs` is the tolerance for instants, in milliseconds: settling takes real time while a clock runs; 0 as long as the clock has not
   * run. Slots must be equal until then.
   */
  constructor(bindings: AliasBindings, instantMs: () => number) {
    this.#bindings = bindings;
    this.#instantMs = instantMs;
  }

  /** Compares a recorded value with a value of the replay: JSON, or a value that serializes to it. */
  values(expected: unknown, given: unknown, path: string): void {
    if (expected === given && typeof expected !== 'string') return;
    const actual = asJson(given);
    if (typeof expected === 'string') this.#text(expected, actual, path);
    else if (Array.isArray(expected) && Array.isArray(actual)) this.#list(expected, actual, path);
    else if (isObject(expected) && isObject(actual)) this.#object(expected, actual, path);
    else this.#differ(path, expected, actual);
  }

  #differ(path: string, expected: unknown, actual: unknown): void {
    this.differences.push({ path, expected, actual });
  }

  #text(expected: string, actual: unknown, path: string): void {
    if (!isName(expected)) {
      const text = plainText(expected);
      const isSame = text === actual || this.#isSameInstant(text, actual) || isElsewhere(text, actual);
      if (!isSame) this.#differ(path, text, actual);
      return;
    }
    if (typeof actual !== 'string') return this.#differ(path, expected, actual);
    if (ANYTHING.has(expected)) return;
    const bound = this.#bindings.get(expected);
    if (bound === undefined) this.#bindings.set(expected, actual);
    else if (bound !== actual) this.#differ(path, `${expected}, which is ${bound}`, actual);
  }

  #isSameInstant(expected: string, actual: unknown): boolean {
    const instantMs = this.#instantMs();
    if (instantMs === 0 || typeof actual !== 'string') return false;
    const [a, b] = [parseInstant(expected), parseInstant(actual)];
    return a !== null && b !== null && Math.abs(a - b) <= instantMs;
  }

  #list(expected: readonly unknown[], actual: readonly unknown[], path: string): void {
    if (expected.length !== actual.length) this.#differ(at(path, 'length'), expected.length, actual.length);
    for (const [index, element] of expected.entries()) {
      if (index < actual.length) this.values(element, actual[index], at(path, index));
    }
  }

  #object(expected: Members, actual: Members, path: string): void {
    for (const [name, wanted] of Object.entries(expected)) {
      if ((path === '' && SENTENCES.has(name)) || name === RPC_URL) continue;
      this.#member(name, wanted, asJson(actual[name]), at(path, name));
    }
    for (const name of Object.keys(actual)) {
      const isNew = !Object.hasOwn(expected, name) && actual[name] !== undefined;
      if (isNew) this.#differ(at(path, name), undefined, asJson(actual[name]));
    }
  }

  #member(name: string, expected: unknown, actual: unknown, path: string): void {
    const instantMs = this.#instantMs();
    const areNumbers = typeof expected === 'number' && typeof actual === 'number';
    if (areNumbers && instantMs > 0 && SLOTS.has(name)) return;
    if (areNumbers && name === BLOCK_TIME && Math.abs(expected - actual) * 1_000 <= instantMs) return;
    this.values(expected, actual, path);
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

export function differenceText({ path, expected, actual }: Difference): string {
  const where = path === '' ? 'the response' : path;
  if (expected === undefined) return `${where} was absent, got ${shown(actual)}`;
  return `${where} expected ${shown(expected)}, got ${shown(actual)}`;
}
