import { isObject, valueAt } from '../../core/json.js';
import { aligned, widthOf } from '../../testing/scenario/reporters/text.js';

const SHOWN = 8;

/** The width up to which a list is a table, unless its columns are chosen; the elements of a wider one are printed one below the other. */
const TABLE_COLUMNS = 132;

/** Shortens an address or signature for tables. */
export function short(text: string | null): string {
  if (text === null) return '';
  return text.length > SHOWN + 1 ? `${text.slice(0, SHOWN)}…` : text;
}

/** The lines below a page: a note and the command for the next page. */
export function nextLine(next: string | null, note: string | null): string[] {
  return [...(note === null ? [] : [note]), ...(next === null ? [] : [`more: --cursor ${next}`])];
}

/** The columns of lists, as paths such as `before.SOL`, by the name of the list; by default all members. */
export type Columns = Readonly<Record<string, readonly string[]>>;

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** A value as one line: `USDC 5, SOL 0.1` for an object, JSON for a text with line ends. */
function cell(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return '-';
  if (typeof value === 'string' && !/[\r\n]/.test(value)) return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map(cell)
    : Object.entries(value).map(([name, member]) => `${name} ${cell(member)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function listLines(list: readonly unknown[], columns: readonly string[] | undefined): string[] {
  const rows = list.filter(isObject);
  if (rows.length < list.length) return list.map(cell);
  const names = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const table = aligned([names, ...rows.map((row) => names.map((name) => cell(valueAt(row, name))))]);
  if (columns !== undefined || table.every((line) => widthOf(line) <= TABLE_COLUMNS)) return table;
  return rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...memberLines(row, {})]);
}

function isRow([name, value]: readonly [string, unknown]): boolean {
  const text = cell(value);
  const isFlat = isObject(value) && Object.values(value).every(isPlain);
  return isPlain(value) || text === 'none' || (isFlat && widthOf(`${name}  ${text}`) <= TABLE_COLUMNS);
}

function sectionLines([name, value]: readonly [string, unknown], columns: Columns): string[] {
  return isObject(value) ? memberLines(value, columns) : listLines(value as unknown[], columns[name]);
}

/** A row for each member that fits into one, then a section for each other one. */
function memberLines(members: Readonly<Record<string, unknown>>, columns: Columns): string[] {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  const sections = entries.filter((entry) => !isRow(entry));
  const indented = (line: string) => `  ${line}`.trimEnd();
  return [
    ...aligned(entries.filter(isRow).map(([name, value]) => [name, cell(value)])),
    ...sections.flatMap((entry) => [entry[0], ...sectionLines(entry, columns).map(indented)]),
  ];
}

/** A response as text: a row for each member, and a table or a section for each list and each nested object. */
export function readable(answer: unknown, columns: Columns = {}): string {
  if (!isObject(answer)) return cell(answer);
  const { next, ...members } = answer;
  const [only, ...others] = Object.entries(members);
  const isOnlySection = only !== undefined && others.length === 0 && !isRow(only);
  const lines = isOnlySection ? sectionLines(only, columns) : memberLines(members, columns);
  return [...lines, ...nextLine(typeof next === 'string' ? next : null, null)].join('\n');
}
