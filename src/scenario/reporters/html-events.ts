import { attributes, escapedText } from './markup.js';
import { jsonLine, shorten, valueText } from './text.js';

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A cell's text: numbers as they are, without an exponent. */
function cellText(value: unknown): string {
  if (typeof value !== 'number') return valueText(value);
  return value.toLocaleString('en-GB', { useGrouping: false, maximumFractionDigits: 9 });
}

/** A table of objects with the columns named; null when the value is no list of objects. */
function tableOf(value: unknown, columns: readonly string[], limit: number): string | null {
  if (!Array.isArray(value) || !value.every(isFields)) return null;
  if (value.length === 0) return '';
  const head = columns.map((column) => `<th>${escapedText(column)}</th>`).join('');
  const rows = value.map((fields) => {
    const cells = columns.map((column) => {
      const kind = typeof fields[column] === 'number' ? 'number' : null;
      return `<td${attributes({ class: kind })}>${escapedText(shorten(cellText(fields[column]), limit))}</td>`;
    });
    return `<tr>${cells.join('')}</tr>\n`;
  });
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('')}</tbody></table></div>\n`;
}

/** The members that have no place of their own, as one line of JSON. */
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

/** A journal entry as the event log tells it: its number and kind, its postings as a table, then the rest. */
export function entryMarkup(event: Fields, limit: number): string {
  const postings = tableOf(event['postings'], ['account', 'owner', 'token', 'amount'], limit);
  if (postings === null) return whole(event, limit);
  const facts = event['facts'];
  const kind = isFields(facts) ? valueText(facts['kind']) : '';
  const title = `Entry ${valueText(event['entry'])} ${kind}`.trim();
  const rest = restOf(event, ['postings', 'entry', 'kind', 'seq'], limit);
  return `<p>${escapedText(shorten(title, limit))}</p>\n${postings}${rest}`;
}

/** A transaction of the chain as the event log tells it: its signature and error, what it changed, then the rest. */
export function transactionMarkup(event: Fields, limit: number): string {
  const changed = tableOf(event['changed'], ['address', 'lamports'], limit);
  if (changed === null) return whole(event, limit);
  const { signature, error } = event;
  const broke =
    error === null || error === undefined
      ? ''
      : ` <strong class="failed">${escapedText(shorten(valueText(error), limit))}</strong>`;
  const rest = restOf(event, ['changed', 'signature', 'error', 'kind', 'seq'], limit);
  return `<p><code>${escapedText(shorten(valueText(signature), limit))}</code>${broke}</p>\n${changed}${rest}`;
}
