/** JSON nested more deeply is stored as text, so that no recursive function overflows the stack. */
const DEEPEST = 100;

const QUOTE = 34;
const BACKSLASH = 92;

function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}

/** Whether JSON text is nested more deeply than `deepest`; by default, too deeply to be stored as a value. */
export function isDeep(json: string, deepest = DEEPEST): boolean {
  // Most texts are too short to be.
  if (json.length <= deepest) return false;
  let levels = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (isClosing(code)) levels -= 1;
    else if (isOpening(code) && (levels += 1) > deepest) return true;
  }
  return false;
}

/** `isDeep` for a parsed value. */
export function isDeepValue(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > DEEPEST) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const member of Object.values(each)) if (typeof member === 'object') next.push(member);
    }
    level = next;
  }
  return false;
}

/** Serializes a parsed value without recursion, however deeply it is nested. */
export function jsonOfDeep(value: unknown): string {
  const parts: string[] = [];
  /** A stack of what remains to be written: pieces of JSON, or values. */
  const rest: ({ readonly json: string } | { readonly value: unknown })[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ('json' in next) {
      parts.push(next.json);
      continue;
    }
    const { value: each } = next;
    if (typeof each !== 'object' || each === null) {
      parts.push(JSON.stringify(each));
      continue;
    }
    const isList = Array.isArray(each);
    parts.push(isList ? '[' : '{');
    rest.push({ json: isList ? ']' : '}' });
    const members = Object.entries(each as Record<string, unknown>);
    for (const [at, [name, member]] of [...members.entries()].toReversed()) {
      const before = `${at === 0 ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
      rest.push({ value: member }, { json: before });
    }
  }
  return parts.join('');
}
