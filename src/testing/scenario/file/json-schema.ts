import { z } from 'zod';
import type { WorldVerb } from '../verbs/verb.js';
import { AGENT_VERBS, WORLD_VERBS } from '../verbs/verbs.js';
import { AGENT_NAME, scenarioSchema, stepMembers } from './schema.js';
import { REFERENCE_JSON, flowArguments, innerStep } from './steps.js';

type Json = { [member: string]: unknown };

const PLAIN_TYPES = new Set(['number', 'integer', 'boolean']);

/** The JSON Schema (draft 7) of what a schema accepts. */
export function jsonOf(schema: z.ZodType): Json {
  // Refinements in code cannot be expressed here; editors then accept any value.
  const options = { io: 'input', unrepresentable: 'any', target: 'draft-7' } as const;
  const { $schema: _none, ...json } = z.toJSONSchema(schema, options) as Json;
  return json;
}

/** The schema, also accepting a reference for any value that is not a string. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const json = schema as Json;
  const { type, description } = json;
  const isPlain = typeof type === 'string' && PLAIN_TYPES.has(type);
  if (isPlain || json['enum'] !== undefined || json['pattern'] !== undefined) {
    const { description: _moved, ...bare } = json;
    return { ...(description === undefined ? {} : { description }), anyOf: [bare, REFERENCE_JSON] };
  }
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withReferences(member)]));
}

/** The arguments of each verb. A verb without required arguments can be written without any. */
function argumentsJson(verbs: object): (readonly [verb: string, args: Json])[] {
  return Object.entries(verbs as Readonly<Record<string, WorldVerb>>).map(([verb, { args, summary }]) => {
    const given = withReferences(jsonOf(args)) as Json;
    const mayBeEmpty = args.safeParse(undefined).success;
    const description = { description: summary };
    return [
      verb,
      mayBeEmpty ? { ...description, anyOf: [given, { type: 'null' }] } : { ...given, ...description },
    ];
  });
}

/** The schema of a step: a title, or an object with its action and its other members. */
function stepJson(): Json {
  const { definitions: _known, ...object } = jsonOf(
    z.strictObject({ ...stepMembers, ...flowArguments }).partial(),
  );
  const agentVerbs = argumentsJson(AGENT_VERBS).map(
    ([verb, args]) => [`^${AGENT_NAME}\\.${verb.replaceAll('.', '\\.')}$`, args] as const,
  );
  const step = {
    ...object,
    minProperties: 1,
    properties: { ...(object['properties'] as Json), ...Object.fromEntries(argumentsJson(WORLD_VERBS)) },
    patternProperties: Object.fromEntries(agentVerbs),
  };
  const title = { type: 'string', description: 'a step without arguments, such as alice.account' };
  return { anyOf: [title, step] };
}

/** The JSON Schema (draft 7) of scenario files, for editors. It lacks checks made in code, such as that an agent exists. */
export function scenarioJsonSchema(): Json {
  const steps = z.array(innerStep).optional().describe('steps in order');
  const { definitions, ...whole } = jsonOf(scenarioSchema.extend({ steps }));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A scenario of agent-bank-sim',
    ...whole,
    definitions: { ...(definitions as Json), step: stepJson() },
  };
}
