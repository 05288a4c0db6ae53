/** Options of commands that show a page. */
export const PAGING = {
  limit: { type: 'number', describe: 'most rows, 1 to 1000 (default 100)' },
  cursor: { type: 'string', describe: 'the cursor that the page before has ended with' },
} as const;

const SHOWN = 8;

/** The beginning of an address or signature, for tables. */
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

/** What stands below a page: a note, and how to get the next one. */
export function nextLine(next: string | null, note: string | null): string[] {
  return [...(note === null ? [] : [note]), ...(next === null ? [] : [`more: --cursor ${next}`])];
}
