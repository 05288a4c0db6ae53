import { parseJson } from './json.js';

/**
 * JSON with bigints as plain integers: lamports and rent epochs have 64 bits and Solana's clients read them
 * as such, which JSON.stringify cannot write. Undefined members are omitted; the others are in the order of their names, as clusters write them.
 */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'object':
      break;
    default:
      return JSON.stringify(value) ?? 'null';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    // getBlocks lists up to half a million slots, which this writes in a fifth of the time.
    if (value.every((member) => typeof member === 'number')) return JSON.stringify(value);
    return `[${value.map(toJson).join(',')}]`;
  }
  let text = '';
  for (const name of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${toJson(member)}`;
  }
  return `{${text}}`;
}

/** Integers of 16 to 20 digits, which a double may not hold; strings also match, so that their contents are skipped. */
const WIDE_INTEGERS = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\w.+-])-?\d{16,20}(?![\w.])/g;
const MARK = '\u0001wide:';

/**
 * Parses JSON twice: plainly, and with `wide` applied to integers that a double cannot hold, since slots and lamports
 * have 64 bits. Both results are equal without such integers. Throws SyntaxError, also for deep nesting.
 */
export function parseExactJson(
  text: string,
  wide: (digits: string) => unknown = BigInt,
): { readonly plain: unknown; readonly exact: unknown } {
  const plain = parseJson(text);
  if (!/\d{16}/.test(text) || text.includes('\\u0001wide:')) return { plain, exact: plain };
  const marked = text.replace(WIDE_INTEGERS, (found) =>
    found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"\\u0001wide:${found}"`,
  );
  const exact: unknown = JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? wide(value.slice(MARK.length)) : value,
  );
  return { plain, exact };
}
