// Control characters, format characters such as those that turn the direction of writing, and separators of lines.
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
 * Text from outside as it may stand in a line on a terminal: whatever could begin another line, move the cursor or hide something is
 * escaped as in JSON, so that JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same of text that has lines of its own. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE_IN_LINE, escaped);
}
