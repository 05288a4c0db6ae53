import { escapedText } from '../../../api/html/markup.js';
import { aligned, jsonLine, shorten, valueText } from './text.js';
import { isObject } from '../../../core/json.js';

type Fields = Readonly<Record<string, unknown>>;

/** A cell's text: numbers without an exponent. */
function cellText(value: unknown): string {
  if (typeof value !== 'number') return valueText(value);
  return value.toLocaleString('en-GB', { useGrouping: false, maximumFractionDigits: 9 });
}

/**
 * Lines with the named members of each object, in columns; null if the value is not a list of objects. Text instead of a table: there are thousands, and table markup would exceed the content.
 */
function linesOf(value: unknown, columns: readonly string[], limit: number): string | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  if (value.length === 0) return '';
  const rows = value.map((fields) => columns.map((column) => shorten(cellText(fields[column]), limit)));
  const lines = aligned(rows);
  return `<pre>${escapedText(shorten(lines.join('\n'), 10 * limit))}</pre>\n`;
}

/** Members shown elsewhere, with the step and its requests. */
const ELSEWHERE = ['kind', 'seq', 'at', 'requestId'];

/** The remaining members, as one line of JSON. */
function restOf(fields: Fields, shown: readonly string[], limit: number): string {
  const rest = Object.entries(fields).filter(
    ([name, value]) => !shown.includes(name) && value !== null && value !== undefined,
  );
  if (rest.length === 0) return '';
  return `<p class="quiet"><code>${escapedText(shorten(jsonLine(Object.fromEntries(rest)), limit))}</code></p>\n`;
}

function whole(fields: Fields, limit: number): string {
  return `<pre>${escapedText(shorten(valueText(fields, 2), limit))}</pre>\n`;
}

/** A journal entry of the event log: number and kind, postings, then facts. */
export function entryMarkup(event: Fields, limit: number): string {
  const postings = linesOf(event['postings'], ['account', 'token', 'amount', 'owner'], limit);
  if (postings === null) return whole(event, limit);
  const { kind, ...facts } = isObject(event['facts']) ? event['facts'] : {};
  const title = `Entry ${valueText(event['entry'])} ${valueText(kind)}`.trim();
  const rest = restOf({ wallet: event['wallet'], ...facts }, [], limit);
  return `<p>${escapedText(shorten(title, limit))}</p>\n${postings}${rest}`;
}

/** A chain transaction of the event log: signature and error, changes, then the rest. */
export function transactionMarkup(event: Fields, limit: number): string {
  const changed = linesOf(event['changed'], ['lamports', 'address'], limit);
  if (changed === null) return whole(event, limit);
  const { signature, error } = event;
  const broke =
    error === null || error === undefined
      ? ''
      : ` <strong class="failed">${escapedText(shorten(valueText(error), limit))}</strong>`;
  const rest = restOf(event, ['changed', 'signature', 'error', ...ELSEWHERE], limit);
  return `<p><code>${escapedText(shorten(valueText(signature), limit))}</code>${broke}</p>\n${changed}${rest}`;
}
