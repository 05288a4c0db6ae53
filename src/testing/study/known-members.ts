import { z } from 'zod';
import { suggestion } from '../../core/suggestion.js';

/** A schema without wrappers for optional members and defaults. */
function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inner(schema.unwrap());
  return schema instanceof z.ZodDefault ? inner(schema.unwrap()) : schema;
}

/** The allowed members of objects at a path of a schema. */
function membersAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  const at = inner(schema);
  if (at instanceof z.ZodUnion) return at.options.flatMap((option) => membersAt(option, path));
  const [name, ...rest] = path;
  if (name === undefined) return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
  if (at instanceof z.ZodObject) return membersAt((at.shape as Record<PropertyKey, unknown>)[name], rest);
  if (at instanceof z.ZodRecord) return membersAt(at.valueType, rest);
  return at instanceof z.ZodArray ? membersAt(at.element, rest) : [];
}

/** The message for an unknown name: a suggestion and the known names. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `there is no ${what} ${name}${suggestion(name, known) || '.'} There are: ${known.join(', ')}`;
}

/** The message for an unknown member: a suggestion and the known members. */
export function unknownMember(schema: z.ZodType, path: readonly PropertyKey[], name: string): string {
  const known = membersAt(schema, path);
  return `there is no member ${name} here${suggestion(name, known) || '.'} Known members: ${known.join(', ')}`;
}
