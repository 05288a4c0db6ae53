import { z } from 'zod';
import type { JsonSchema } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';

/** The JSON Schema of a tool's input or output. MCP requires `type: object` at its root, unions included. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const {
    $schema: _dialect,
    $ref,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // A named schema comes as a reference at the root, where models and clients expect its members.
  const { [$ref?.replace('#/$defs/', '') ?? '']: root = {}, ...others } = $defs;
  return { ...rest, ...root, ...(Object.keys(others).length === 0 ? {} : { $defs: others }), type: 'object' };
}

/** Parses the arguments of a tool. Throws ToolRefusal, which names each wrong member. */
export function parsedInput<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ToolRefusal('invalid_request', issues.join('; '));
}

/** The names of an input's members, including the members of each alternative. */
export function memberNames({ properties = {}, anyOf = [] }: JsonSchema): string[] {
  const alternatives = anyOf as readonly JsonSchema[];
  return [...Object.keys(properties as object), ...alternatives.flatMap(memberNames)];
}

export function closed(schema: JsonSchema): JsonSchema {
  // With alternatives, each member is beyond those of another one.
  const keyword = 'anyOf' in schema ? 'unevaluatedProperties' : 'additionalProperties';
  return { ...schema, [keyword]: false };
}
