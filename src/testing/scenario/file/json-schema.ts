import { z } from 'zod';
import { AGENT_NAME, scenarioSchema } from './schema.js';
import { REFERABLE, stepSchema } from './steps.js';

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
    override: ({ zodSchema, jsonSchema }) => {
      const plain = REFERABLE.get(zodSchema)?.plain as z.ZodType | undefined;
      if (plain === undefined) return;
      const given = withReferences(jsonOf(plain)) as Json;
      // A verb without required arguments can be written without any.
      const mayBeEmpty = plain.safeParse(undefined).success;
      Object.assign(
        jsonSchema,
        mayBeEmpty ? { anyOf: [given, { type: 'null' }] } : { ...given, ...jsonSchema },
      );
    },
  }) as Json;
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
    return { ...(description === undefined ? {} : { description }), anyOf: [bare, REFERENCE] };
  }
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withReferences(member)]));
}

/** The schema of a step with verbs of any agent, or of a step that is only a title. */
function stepJson({ properties, ...rest }: Json): Json {
  const entries = Object.entries(properties as Json);
  const isOfAgent = ([title]: [string, unknown]) => title.startsWith(AGENT_NAME);
  const patterns = entries
    .filter(isOfAgent)
    .map(([title, args]) => [`^${title.replaceAll('.', '\\.')}$`, args]);
  const step = {
    ...rest,
    minProperties: 1,
    properties: Object.fromEntries(entries.filter((entry) => !isOfAgent(entry))),
    patternProperties: Object.fromEntries(patterns),
  };
  const title = { type: 'string', description: 'a step without arguments, such as alice.account' };
  return { anyOf: [title, step] };
}

/** The JSON Schema (draft 7) of scenario files, for editors. It lacks checks made in code, such as that an agent exists. */
export function scenarioJsonSchema(): Json {
  const step = stepSchema(new Set([AGENT_NAME])).register(z.globalRegistry, { id: 'step' });
  const steps = z.array(step).optional().describe('steps in order');
  const { definitions, ...whole } = jsonOf(scenarioSchema.extend({ steps }));
  const { step: written, ...others } = definitions as Record<string, Json>;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A scenario of agent-bank-sim',
    ...whole,
    definitions: { step: stepJson(written ?? {}), ...others },
  };
}
