import { mapTexts, valueAt } from '../../core/json.js';

/** An unresolvable `${…}`; the message lists the known names. */
export class UnknownReference extends Error {
  override readonly name = 'UnknownReference';
}

/** Resolves the first part of a reference's path. */
export interface Scope {
  /** Undefined for an unknown name. */
  get(name: string): unknown;
  names(): readonly string[];
}

// Texts also come from agents, so every pattern must run in linear time.
const REFERENCE = /(?<!\$)(\$+)\{([^}]*)\}/g;
const WHOLE = /^\$\{([^}]*)\}$/;

/** Replaces each `${…}`. `$$` before a brace is an escaped `$`, so an even number of `$` does not start a reference. */
function replaceReferences(text: string, by: (found: string, marks: string, path: string) => string): string {
  // Otherwise a text that has only opening braces would be scanned to its end once per brace.
  const end = text.lastIndexOf('}') + 1;
  const closed = text
    .slice(0, end)
    .replaceAll(REFERENCE, (found, marks: string, path: string) => by(found, marks, path.trim()));
  return closed + text.slice(end);
}

function lookUp(path: string, scope: Scope): unknown {
  const [first = '', ...rest] = path.split('.');
  const root = scope.get(first);
  if (root === undefined) {
    throw new UnknownReference(
      `\${${path}}: unknown name ${first}; known names: ${scope.names().join(', ')}`,
    );
  }
  // An agent evaluates to its address.
  const whole = root instanceof Named ? root.address : root;
  const value = rest.length === 0 ? whole : valueAt(root, rest.join('.'));
  if (value === undefined) {
    const members = typeof root === 'object' && root !== null ? Object.keys(root).join(', ') : 'no members';
    throw new UnknownReference(`\${${path}}: ${first} has no ${rest.join('.')}; it has ${members}`);
  }
  return value;
}

/** The value of an agent's name in references. */
export class Named {
  constructor(
    readonly address: string,
    readonly token: string | null,
  ) {}
}

function pathsIn(text: string): string[] {
  const paths: string[] = [];
  replaceReferences(text, (found, marks, path) => {
    if (marks.length % 2 === 1) paths.push(path);
    return found;
  });
  return paths;
}

/** Whether a value contains a reference. */
export function hasReference(value: unknown): boolean {
  return typeof value === 'string' && pathsIn(value).length > 0;
}

export function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return pathsIn(value);
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value)].flatMap(referencesIn);
}

/** Escapes a text so that nothing in it is parsed as a reference: `$${` reads as `${`. */
export function escaped(text: string): string {
  return replaceReferences(text, (found, marks) => marks + found);
}

/**
 * Resolves the references in a value. A string that is exactly one reference takes the type of its value; within longer strings values
 * are converted to text. `$${` reads as `${`. Throws UnknownReference.
 */
export function resolved(value: unknown, scope: Scope): unknown {
  const inText = (text: string): unknown => {
    const whole = WHOLE.exec(text);
    if (whole !== null) return lookUp(whole[1]?.trim() ?? '', scope);
    return replaceReferences(text, (found, marks, path) => {
      const kept = '$'.repeat(Math.floor(marks.length / 2));
      if (marks.length % 2 === 0) return kept + found.slice(marks.length);
      const replaced = lookUp(path, scope);
      return kept + (typeof replaced === 'string' ? replaced : JSON.stringify(replaced));
    });
  };
  return mapTexts(value, inText, (name) => String(inText(name)));
}
