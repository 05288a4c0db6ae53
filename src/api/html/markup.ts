const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// XML cannot represent these, not even as references; a lone surrogate is no character at all.
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu;

/** Replaces characters that XML or HTML may not contain with visible escapes, such as `\u001b`. */
function withoutForbidden(text: string): string {
  return text.replace(
    FORBIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes text between the tags of XML or HTML. */
export function escapedText(text: string): string {
  return withoutForbidden(text).replace(/[&<>]/g, (character) => SPECIAL[character] ?? '');
}

/** Escapes an attribute's value for double quotes; line ends are preserved as references. */
export function escapedAttribute(value: string): string {
  return withoutForbidden(value)
    .replace(/[&<>"']/g, (character) => SPECIAL[character] ?? '')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Attributes of a tag, each preceded by a space; those that are null are omitted. */
export function attributes(values: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapedAttribute(String(value))}"`))
    .join('');
}
