import Papa from 'papaparse';

/** The rows of a table with a header: comma, semicolon or tab between cells, by RFC 4180 otherwise. Throws RangeError with the line. */
export function csvRows(text: string): string[][] {
  const delimiter = /^[^\r\n]*?([,;\t])/.exec(text)?.[1] ?? ',';
  const { data, errors } = Papa.parse<string[]>(text, { delimiter });
  const [first] = errors;
  if (first !== undefined) throw new RangeError(`line ${(first.row ?? 0) + 1}: ${first.message}`);
  return data;
}

export function csvText(rows: readonly (readonly unknown[])[]): string {
  return `${Papa.unparse(rows as unknown[][], { newline: '\n' })}\n`;
}
