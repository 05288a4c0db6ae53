// Control characters, format characters such as those that change the writing direction, and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNPRINTABLE_IN_LINE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/**
 * Escapes external text for one line of a terminal: characters that could start a line, move the cursor or hide text.
 * The escapes are JSON's, so that JSON keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** Like `printable`, but keeps line feeds. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE_IN_LINE, escaped);
}

/** Escapes all but printable ASCII: letters of other scripts can change the direction of a line, or look like others. */
export function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7E]/gu, escaped);
}
