import { z } from 'zod';
import { COMMANDS, CONTROL_PATH, type Command } from './commands.js';

/** The OpenAPI 3.1 document of the control interface at an origin. */
export function controlDocument(origin: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, command] of Object.entries(COMMANDS) as [string, Command][]) {
    const operations = (paths[command.path] ??= {});
    operations[command.method.toLowerCase()] = {
      operationId,
      summary: command.summary,
      ...(command.path.includes('{id}')
        ? { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] }
        : {}),
      ...(command.body === undefined
        ? {}
        : {
            requestBody: {
              content: { 'application/json': { schema: z.toJSONSchema(command.body, { io: 'input' }) } },
            },
          }),
      responses: {
        200: { description: 'Done' },
        400: { description: 'Not possible: {error, code}' },
        401: { description: 'A control token is needed' },
        404: { description: 'No such thing' },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-bank-sim control',
      version: '1',
      description: 'Time, money, rates, reviews and snapshots of a simulated world.',
    },
    servers: [{ url: origin + CONTROL_PATH }],
    components: { securitySchemes: { control: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}
