import { valueAt } from './expecting/path.js';

/** A `${…}` that stands for nothing; the message says what there is. */
export class UnknownReference extends Error {
  override readonly name = 'UnknownReference';
}

/** Where references look: by the first part of their path. */
export interface Scope {
  /** Undefined for a name that is not there. */
  get(name: string): unknown;
  names(): readonly string[];
}

// Texts come from agents too, so every pattern takes time in proportion to the text.
const REFERENCE = /(?<!\$)(\$+)\{([^}]*)\}/g;
const WHOLE = /^\$\{([^}]*)\}$/;

/** Replaces each `${…}`. Two `$` before a brace stand for one, so what follows an even number of them is no reference. */
function replaceReferences(text: string, by: (found: string, marks: string, path: string) => string): string {
  // Without this a text of opening braces only would be read to its end once for each of them.
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
      `\${${path}}: nothing is called ${first === '' ? 'that' : first} here; there are ${scope.names().join(', ')}`,
    );
  }
  const value = rest.length === 0 ? valueOf(root) : valueAt(root, rest.join('.'));
  if (value === undefined) {
    const members = typeof root === 'object' && root !== null ? Object.keys(root).join(', ') : 'no members';
    throw new UnknownReference(`\${${path}}: ${first} has no ${rest.join('.')}; it has ${members}`);
  }
  return value;
}

/** An agent stands for its address. */
function valueOf(root: unknown): unknown {
  return root instanceof Named ? root.address : root;
}

/** What a name of an agent stands for in references. */
export class Named {
  constructor(
    readonly address: string,
    readonly token: string | null,
  ) {}
}

/** The paths of the references in a text. */
function pathsIn(text: string): string[] {
  const paths: string[] = [];
  replaceReferences(text, (found, marks, path) => {
    if (marks.length % 2 === 1) paths.push(path);
    return found;
  });
  return paths;
}

/** Whether a text has a reference in it. */
export function hasReference(value: unknown): boolean {
  return typeof value === 'string' && pathsIn(value).length > 0;
}

/** The paths of all references in a value. */
export function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return pathsIn(value);
  if (typeof value !== 'object' || value === null) return [];
  return [...Object.keys(value), ...Object.values(value)].flatMap(referencesIn);
}

/** A text as a scenario has to say it, so that nothing in it is taken for a reference: `$${` reads as `${`. */
export function escaped(text: string): string {
  return replaceReferences(text, (found, marks) => marks + found);
}

/**
 * A value with what its references stand for. A text that is one reference becomes what that is, of any type; in longer texts it is
 * written out. `$${` reads as `${`. Throws UnknownReference.
 */
export function resolved(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') {
    if (!value.includes('${')) return value;
    const whole = WHOLE.exec(value);
    if (whole !== null) return lookUp(whole[1]?.trim() ?? '', scope);
    return replaceReferences(value, (text, marks, path) => {
      const kept = '$'.repeat(Math.floor(marks.length / 2));
      if (marks.length % 2 === 0) return kept + text.slice(marks.length);
      const found = lookUp(path, scope);
      return kept + (typeof found === 'string' ? found : JSON.stringify(found));
    });
  }
  if (Array.isArray(value)) return value.map((element) => resolved(element, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [String(resolved(name, scope)), resolved(member, scope)]),
  );
}
