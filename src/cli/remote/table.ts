import { isObject } from '../../core/json.js';
import { aligned } from '../../testing/scenario/reporters/text.js';

const SHOWN = 8;

/** Shortens an address or signature for tables. */
export function short(text: string | null): string {
  if (text === null) return '';
  return text.length > SHOWN + 1 ? `${text.slice(0, SHOWN)}…` : text;
}

/** The lines below a page: a note and the command for the next page. */
export function nextLine(next: string | null, note: string | null): string[] {
  return [...(note === null ? [] : [note]), ...(next === null ? [] : [`more: --cursor ${next}`])];
}

const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function listRows(list: readonly Readonly<Record<string, unknown>>[]): string[] {
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
  return aligned([columns, ...list.map((row) => columns.map((column) => text(row[column])))]);
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** A response as text: a row for each member and each element of a list. */
export function readable(answer: unknown): string {
  if (!isObject(answer)) return text(answer);
  const { next, ...members } = answer;
  const isList = (value: unknown): value is Record<string, unknown>[] =>
    Array.isArray(value) && value.length > 0 && value.every(isObject);
  const entries = Object.entries(members);
  const others = entries.filter(([, value]) => !isList(value));
  return [
    ...aligned(others.map(([name, value]) => [name, isEmpty(value) ? 'none' : text(value)])),
    ...entries.flatMap(([, value]) => (isList(value) ? listRows(value) : [])),
    ...nextLine(typeof next === 'string' ? next : null, null),
  ].join('\n');
}
