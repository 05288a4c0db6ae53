import { printableLines } from '../core/printable.js';

/** Prints a result as text or, with --json, as one line of JSON. Both can quote what others wrote. */
export function printResult({ json }: { readonly json: boolean }, result: unknown, text: string): void {
  process.stdout.write(`${printableLines(json ? JSON.stringify(result) : text)}\n`);
}
