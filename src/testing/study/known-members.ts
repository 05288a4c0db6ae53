import { z } from 'zod';
import { suggestion } from '../../core/suggestion.js';

/** The message for an unknown name: a suggestion and the known names. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `there is no ${what} ${name}${suggestion(name, known) || '.'} There are: ${known.join(', ')}`;
}

/** The message for an unknown member: a suggestion and the known members of its object. */
export function unknownMember({ code, keys, inst }: z.core.$ZodRawIssue): string | undefined {
  if (code !== 'unrecognized_keys' || !(inst instanceof z.ZodObject)) return undefined;
  const [name = ''] = keys;
  const known = Object.keys(inst.shape);
  return `there is no member ${name} here${suggestion(name, known) || '.'} Known members: ${known.join(', ')}`;
}
