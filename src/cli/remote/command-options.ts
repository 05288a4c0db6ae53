import type { PositionalOptions } from 'yargs';
import type { Command } from '../../api/control/commands.js';
import { jsonSchema } from '../../mcp/schemas.js';
import { DECIMAL, decimal, optionName } from '../arguments.js';
import { parsedJson } from '../usage.js';

/** The JSON Schema of an input member. */
interface Member {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Member>>;
}

type Members = ReadonlyMap<string, Member & { readonly isRequired: boolean }>;

/** Command-line names of input members. */
export type Names = Readonly<Record<string, string>>;

interface InputSchema extends Member {
  readonly required?: readonly string[];
  readonly anyOf?: readonly InputSchema[];
}

function membersIn({ properties = {}, required = [], anyOf = [] }: InputSchema): Members {
  const own = Object.entries(properties).map(
    ([name, member]) => [name, { ...member, isRequired: required.includes(name) }] as const,
  );
  // A member that one alternative requires is missing in another.
  const alternatives = anyOf.flatMap(({ required: _some, ...schema }) => [...membersIn(schema)]);
  return new Map([...own, ...alternatives]);
}

/** The members of a command's body or query, including the members of each alternative. */
export function membersOf({ body, query }: Command, omit: readonly string[] = []): Members {
  const schema = body ?? query;
  const all = schema === undefined ? [] : membersIn(jsonSchema(schema, 'input'));
  return new Map([...all].filter(([name]) => !omit.includes(name)));
}

function valuesOf({ type, enum: choices }: Member, isPositional: boolean): PositionalOptions {
  if (choices !== undefined) return { choices };
  // With both types, the help would call a positional a text.
  if (type === 'number' || type === 'integer') return isPositional ? { type: 'number' } : DECIMAL;
  return { type: type === 'boolean' ? 'boolean' : 'string' };
}

/** The options for input members. Members of nested objects become options of the same level; a boolean can be a positional with the values on and off. */
export function optionsOf(
  members: Members,
  names: Names,
  positionals: readonly string[],
): Record<string, PositionalOptions> {
  const options: Record<string, PositionalOptions> = {};
  for (const [member, { isRequired, ...schema }] of members) {
    const name = names[member] ?? optionName(member);
    const isWord = schema.type === 'boolean' && positionals.includes(name);
    if (schema.properties !== undefined)
      Object.assign(options, optionsOf(membersIn(schema), names, positionals));
    else
      options[name] = {
        ...valuesOf(isWord ? { enum: ['on', 'off'] } : schema, positionals.includes(name)),
        ...(schema.description === undefined ? {} : { describe: schema.description.replaceAll('`', '') }),
        ...(isRequired ? { demandOption: true } : {}),
      };
  }
  return options;
}

/** Parses a value that can be a text, a number or JSON. Throws UsageError. */
function looseValue(name: string, text: string): unknown {
  if (/^\s*[{[]/.test(text)) return parsedJson(name, text);
  return Number.isNaN(decimal(text)) ? text : decimal(text);
}

function valueOf(name: string, { type }: Member, given: unknown): unknown {
  if (type === 'boolean' && typeof given === 'string') return given === 'on';
  const isText = type === 'string' || typeof given !== 'string';
  return isText ? given : looseValue(name, given);
}

/** Converts arguments to the input of a command. Throws UsageError. */
export function inputOf(
  members: Members,
  names: Names,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [member, schema] of members) {
    const name = names[member] ?? member;
    const inside = schema.properties === undefined ? null : inputOf(membersIn(schema), names, args);
    const value = inside === null ? valueOf(name, schema, args[name]) : inside;
    const isLeftOut = value === undefined || (inside !== null && Object.keys(inside).length === 0);
    if (!isLeftOut) input[member] = value;
  }
  return input;
}
