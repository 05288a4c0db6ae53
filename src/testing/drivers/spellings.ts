import type { Spelling } from '../fuzz/model/types.js';

/** The longest body that the service reads, in bytes. Source: docs/reference/fidelity.md, Requests and responses. */
const MAX_BODY_BYTES = 65_536;

interface Hand {
  readonly number?: (value: number) => string;
  readonly string?: (value: string) => string;
  readonly members?: (members: readonly string[]) => readonly string[];
  readonly between?: string;
}

/** Longer strings are not escaped: the body would exceed the size limit. */
const MOST_ESCAPED = 200;

function escaped(text: string): string {
  if (text.length > MOST_ESCAPED) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function exponential(value: number): string {
  const text = value.toExponential().replace('+', '');
  return Number(text) === value ? text.toUpperCase() : String(value);
}

function decimal(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.000` : JSON.stringify(value);
}

const HANDS: Readonly<Record<Exclude<Spelling, 'mark' | 'full' | 'overfull' | 'headers'>, Hand>> = {
  escapes: { string: escaped },
  exponents: { number: exponential },
  decimals: { number: decimal },
  spaces: { between: '\r\n\t ' },
  // The last of two members with one name counts, as in every JSON parser of JavaScript.
  twice: {
    members: ([first, ...more]) =>
      first === undefined ? [] : [first.replace(/:.*$/s, ':null'), first, ...more],
  },
  backwards: { members: (members) => members.toReversed() },
  infinite: {},
};

function written(value: unknown, hand: Hand): string {
  const { number = JSON.stringify, string = JSON.stringify, members = (all) => all, between = '' } = hand;
  const listed = (open: string, parts: readonly string[], close: string) =>
    between + open + parts.map((part) => between + part + between).join(',') + between + close;
  if (typeof value === 'number') return Number.isFinite(value) ? number(value) : '1e999';
  if (typeof value === 'string') return string(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const elements = value.map((each) => written(each, hand));
    return listed('[', elements, ']');
  }
  const parts = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${string(name)}:${written(member, hand)}`);
  return listed('{', members(parts), '}');
}

/** A text padded with spaces to the maximum length of a body. */
function filled(text: string): string {
  return text + ' '.repeat(Math.max(0, MAX_BODY_BYTES - Buffer.byteLength(text, 'utf8')));
}

/** The body of a request in another notation with the same meaning. */
export function spelledBody(body: unknown, spelling: Spelling | undefined): string {
  const plain = JSON.stringify(body);
  switch (spelling) {
    case undefined:
    case 'headers':
      return plain;
    case 'mark':
      return `\uFEFF${plain}`;
    case 'full':
      return filled(plain);
    case 'overfull':
      return `${filled(plain)} `;
    default:
      return written(body, HANDS[spelling]);
  }
}

/** Headers in another notation with the same meaning. */
export function spelledHeaders(
  headers: Readonly<Record<string, string>>,
  spelling: Spelling | undefined,
): Record<string, string> {
  if (spelling !== 'headers') return { ...headers };
  const others = Object.entries(headers).map(
    ([name, value]) => [name.toUpperCase(), `\t ${value}  `] as const,
  );
  return { ...Object.fromEntries<string>(others), 'CONTENT-TYPE': 'text/plain; charset=utf-16' };
}
