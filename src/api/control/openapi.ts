import { z } from 'zod';
import { COMMANDS, CONTROL_PATH, type Command } from './commands.js';
import { hasId } from '../../contract/match-path.js';

function parametersOf({ path, query }: Command): { parameters?: object[] } {
  const inPath = hasId(path) ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : [];
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: z.toJSONSchema(schema as z.ZodType, { io: 'input' }),
  }));
  const parameters = [...inPath, ...inQuery];
  return parameters.length === 0 ? {} : { parameters };
}

const BYTES = { 'application/octet-stream': {} };

function requestOf({ body, takes }: Command): { requestBody?: object } {
  if (takes === 'bytes') return { requestBody: { required: true, content: BYTES } };
  if (body === undefined) return {};
  const schema = z.toJSONSchema(body, { io: 'input' });
  return { requestBody: { content: { 'application/json': { schema } } } };
}

/** The OpenAPI 3.1 document of the control interface at an origin. */
export function controlDocument(origin: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, command] of Object.entries(COMMANDS) as [string, Command][]) {
    const operations = (paths[command.path] ??= {});
    operations[command.method.toLowerCase()] = {
      operationId,
      summary: command.summary,
      ...parametersOf(command),
      ...requestOf(command),
      responses: {
        200: { description: 'Success', ...(command.gives === 'bytes' ? { content: BYTES } : {}) },
        400: { description: 'Refused: {error, code}' },
        401: { description: 'Control token required' },
        404: { description: 'Not found' },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-bank-sim control',
      version: '1',
      description: 'Controls time, money, rates, reviews and snapshots of a simulated world.',
    },
    servers: [{ url: origin + CONTROL_PATH }],
    components: { securitySchemes: { control: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}
