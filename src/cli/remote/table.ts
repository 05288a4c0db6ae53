import { isObject } from '../../core/json.js';

const SHOWN = 8;

/** Shortens an address or signature for tables. */
export function short(text: string | null): string {
  if (text === null) return '';
  return text.length > SHOWN + 1 ? `${text.slice(0, SHOWN)}…` : text;
}

/** Rows as lines with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The lines below a page: a note and the command for the next page. */
export function nextLine(next: string | null, note: string | null): string[] {
  return [...(note === null ? [] : [note]), ...(next === null ? [] : [`more: --cursor ${next}`])];
}

const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function listRows(name: string, list: readonly Readonly<Record<string, unknown>>[]): string[] {
  if (list.length === 0) return [`no ${name}`];
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
  return table([columns, ...list.map((row) => columns.map((column) => text(row[column])))]);
}

/** A response as text: a row for each member and each element of a list. */
export function readable(answer: unknown): string {
  if (!isObject(answer)) return text(answer);
  const { next, ...members } = answer;
  const lists = Object.entries(members).filter(([, value]) => Array.isArray(value) && value.every(isObject));
  const others = Object.entries(members).filter(([name]) => !lists.some(([list]) => list === name));
  return [
    ...table(others.map(([name, value]) => [name, text(value)])),
    ...lists.flatMap(([name, list]) => listRows(name, list as Record<string, unknown>[])),
    ...nextLine(typeof next === 'string' ? next : null, null),
  ].join('\n');
}
