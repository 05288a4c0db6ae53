import { z } from 'zod';
import { AGENT_VERBS, WORLD_VERBS } from '../verbs/verbs.js';
import { expectationsSchema, scenarioSchema, stepMembers } from './schema.js';

type Json = { [member: string]: unknown };

const REFERENCE: Json = { type: 'string', pattern: '\\$\\{', description: 'a reference such as ${bob}' };
const PLAIN_TYPES = new Set(['number', 'integer', 'boolean']);

/** The JSON Schema (draft 7) of what a schema accepts. */
export function jsonOf(schema: z.ZodType): Json {
  // Refinements in code cannot be expressed here; editors then accept any value.
  const { $schema: _none, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-7',
  }) as Json;
  return json;
}

/** The schema with references permitted in place of any value that is not a string. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  const json = schema as Json;
  const { type, description } = json;
  const isPlain = typeof type === 'string' && PLAIN_TYPES.has(type);
  if (isPlain || json['enum'] !== undefined || json['pattern'] !== undefined) {
    const { description: _moved, ...bare } = json;
    return { ...(description === undefined ? {} : { description }), anyOf: [bare, REFERENCE] };
  }
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withReferences(member)]));
}

function verbJson({ args, summary }: { args: unknown; summary: string }): Json {
  const given = withReferences(jsonOf(args as z.ZodType)) as Json;
  // A verb without required arguments can be written without any.
  const mayBeEmpty = (args as z.ZodType).safeParse(undefined).success;
  return { description: summary, anyOf: mayBeEmpty ? [given, { type: 'null' }] : [given] };
}

function stepJson(): Json {
  const steps = { type: 'array', items: { $ref: '#/definitions/step' } };
  const count = { anyOf: [{ type: 'integer', minimum: 0 }, REFERENCE] };
  const members = Object.entries(stepMembers).map(([name, schema]) => [name, jsonOf(schema)]);
  const world = Object.entries(WORLD_VERBS).map(([name, verb]) => [name, verbJson(verb)]);
  const agent = Object.entries(AGENT_VERBS).map(([name, verb]) => [
    `^[a-z][A-Za-z0-9_]*\\.${name.replaceAll('.', '\\.')}$`,
    verbJson(verb),
  ]);
  return {
    anyOf: [
      { type: 'string', description: 'a step without arguments, such as alice.account' },
      {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(members),
          ...Object.fromEntries(world),
          repeat: {
            description: 'Repeat steps; ${round} is the number of the round',
            type: 'object',
            properties: { times: count, steps },
            required: ['times', 'steps'],
            additionalProperties: false,
          },
          parallel: { description: 'Run calls concurrently', ...steps },
          wait: {
            description: 'Retry a step until its response is as expected',
            type: 'object',
            properties: {
              until: { $ref: '#/definitions/step' },
              every: { type: 'string', description: 'interval between attempts (default 1s)' },
              within: { type: 'string', description: 'timeout (default 10m)' },
            },
            required: ['until'],
            additionalProperties: false,
          },
        },
        patternProperties: Object.fromEntries(agent),
      },
    ],
  };
}

/** The JSON Schema (draft 7) of scenario files, for editors. It lacks checks made in code, such as that an agent exists. */
export function scenarioJsonSchema(): Json {
  const whole = jsonOf(scenarioSchema);
  const properties = whole['properties'] as Record<string, Json>;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A scenario of agent-bank-sim',
    ...whole,
    properties: {
      ...properties,
      steps: { description: 'steps in order', type: 'array', items: { $ref: '#/definitions/step' } },
      finally: { $ref: '#/definitions/expectations' },
    },
    definitions: { step: stepJson(), expectations: jsonOf(expectationsSchema) },
  };
}
