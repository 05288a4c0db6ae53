/** Maximum characters of a caller-supplied name (a path, a method, a token) in errors and logs. */
export const MAX_NAME = 256;
/** Maximum characters of a message, and of a text in an error's details. */
export const MAX_TEXT = 2_000;
/** Maximum elements of a list, and members of an object, in an error's details. */
const MAX_ELEMENTS = 100;

// JavaScript engines store a substring as a reference to its whole string; only a copy lets the whole be freed.
function copied(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** A text of at most `max` characters; a longer one is truncated and ends with `…`. */
export function shortText(text: string, max: number = MAX_NAME): string {
  return text.length <= max ? text : copied(`${text.slice(0, max - 1)}…`);
}

/** Like `shortText`, but always a copy, so that storing it does not keep a longer string in memory. */
export function keptText(text: string, max: number = MAX_NAME): string {
  return text.length <= max ? copied(text) : shortText(text, max);
}

/** A value with its texts and lists truncated and its texts copied. Class instances, such as amounts, are left as they are. */
export function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return keptText(value, MAX_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(shortValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ELEMENTS)
      .map(([name, member]) => [shortText(name), shortValue(member)]),
  );
}
