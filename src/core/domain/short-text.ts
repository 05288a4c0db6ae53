/** Characters of a name that came in (a path, a method, a token) that errors and logs repeat. */
export const MAX_NAME = 256;
/** Characters of a sentence, and of a text among an error's details. */
export const MAX_TEXT = 2_000;
/** Elements of a list, and members of an object, among an error's details. */
const MAX_ELEMENTS = 100;

// Engines keep a part of a text as a reference into the whole; only a copy lets the whole go.
function copied(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** A text of at most `max` characters: a longer one is cut and ends with `…`. */
export function shortText(text: string, max: number = MAX_NAME): string {
  return text.length <= max ? text : copied(`${text.slice(0, max - 1)}…`);
}

/** The same as a copy, so that keeping it keeps no longer text in memory of which it was a part. */
export function keptText(text: string, max: number = MAX_NAME): string {
  return text.length <= max ? copied(text) : shortText(text, max);
}

/** A value with its texts and lists cut, and its texts copied. Objects with a class of their own, such as amounts, are left as they are. */
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
