import type { Token } from '../../../core/domain/money.js';

export const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const;

function decimal(maximumFractionDigits: number): Intl.NumberFormat {
  return new Intl.NumberFormat('en-GB', {
    useGrouping: false,
    maximumFractionDigits,
    signDisplay: 'negative',
  });
}

const AMOUNTS: Readonly<Record<Token, Intl.NumberFormat>> = { USDC: decimal(6), SOL: decimal(9) };

/** An amount in token units as a decimal: up to 6 digits of USDC and 9 of SOL, no trailing zeros, no exponent. */
export function amountText(token: Token, amount: number): string {
  return AMOUNTS[token].format(amount);
}

/** Formats real milliseconds: `12 ms`, `1.2 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text that is safe on a terminal. Unlike in `core/printable`, joiners stay, as in emoji. Keeps line ends; replaces tabs with two spaces. */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Printable text without line ends. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s*[\r\n]+\s*/g, ' '));
}

/** Truncates a text to `limit` characters and says how many were left out. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Do not split a surrogate pair.
  const last = text.charCodeAt(limit - 1);
  const kept = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, kept)}… (${text.length - kept} characters left out)`;
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** A value as JSON on one line, or indented by `indent` spaces; strings unchanged; empty for undefined. */
export function valueText(value: unknown, indent = 0): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value, withoutBigInts, indent) ?? '';
}

export function jsonLine(value: unknown): string {
  return JSON.stringify(value, withoutBigInts);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (WITHOUT_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Width of a line on a terminal, in columns. */
export function widthOf(line: string): number {
  let width = 0;
  for (const character of line) width += characterWidth(character);
  return width;
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Rows as lines with aligned columns: texts left, and the columns from `numbers` on right. */
export function aligned(rows: readonly (readonly string[])[], numbers = Infinity): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, widthOf(cell))),
    [],
  );
  const fitted = (cell: string, at: number) =>
    at < numbers ? padded(cell, widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map((row) => row.map(fitted).join('  ').trimEnd());
}

/** Where to cut a line so that the first part fits: after a space or a comma if there is one in its second half. */
function cutOf(line: string, columns: number): number {
  let used = 0;
  let at = 0;
  let gap = 0;
  for (const character of line) {
    used += characterWidth(character);
    if (used > columns) return line.charAt(at) === ' ' || gap < at / 2 ? Math.max(1, at) : gap;
    at += character.length;
    if (character === ' ' || character === ',') gap = at;
  }
  return line.length;
}

/** Wraps a text at `columns` columns; its own line ends stay. */
export function wrapped(text: string, columns: number): string[] {
  const limit = Math.max(8, columns);
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    do {
      const cut = cutOf(rest, limit);
      lines.push(rest.slice(0, cut).trimEnd());
      rest = cut < rest.length ? rest.slice(cut).trimStart() : '';
    } while (rest !== '');
    return lines;
  });
}

/** Truncates a text to one line of at most `columns` columns, with `…` where it was cut. */
export function clipped(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > columns - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
