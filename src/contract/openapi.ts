import { OpenAPIHono, z } from '@hono/zod-openapi';
import { BASE_PATH, type Endpoint } from './endpoints.js';
import { MAX_KEY_LENGTH, errorBody } from './common.js';
import { withNullMembers } from './null-members.js';

const KEY = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(MAX_KEY_LENGTH)
    .optional()
    .meta({
      description: 'A repeated call returns the response of the first, for 24 hours',
      examples: ['order-7'],
    }),
});

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** Allows `null` for optional members in every request body, including bodies described by a component. */
function allowNullMembers({ paths = {}, components = {} }: Document): void {
  const schemas = components.schemas ?? {};
  for (const { post } of Object.values(paths)) {
    const body = post?.requestBody;
    const content = body !== undefined && 'content' in body ? body.content['application/json'] : undefined;
    if (content?.schema === undefined) continue;
    const name = '$ref' in content.schema ? content.schema.$ref?.split('/').at(-1) : undefined;
    if (name === undefined) content.schema = withNullMembers(content.schema);
    else schemas[name] = withNullMembers(schemas[name] ?? {});
  }
}

/** The OpenAPI 3.1 document of the service, for an origin. */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>, origin: string): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  const bearer = registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  const string = { type: 'string' } as const;
  const { ref: requestId } = registry.registerComponent('headers', 'X-Request-Id', {
    description: 'The id of the call; the body of an error also has it',
    schema: string,
  });
  const headers = { 'X-Request-Id': requestId };
  const challenge = { 'WWW-Authenticate': { description: 'RFC 6750', schema: string } };
  const refusal = (description: string, more: object = {}) => ({
    description,
    headers: { ...headers, ...more },
    content: { 'application/json': { schema: errorBody } },
  });
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const isRepeatable = endpoint.method === 'POST' && endpoint.auth === 'bearer';
    registry.registerPath({
      method: endpoint.method === 'GET' ? 'get' : 'post',
      path: endpoint.path,
      operationId: id,
      summary: endpoint.summary,
      tags: [endpoint.area],
      ...(endpoint.auth === 'bearer' ? { security: [{ [bearer.name]: [] }] } : {}),
      request: {
        ...(isRepeatable ? { headers: KEY } : {}),
        ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
        ...(endpoint.query === undefined ? {} : { query: endpoint.query }),
        ...(endpoint.body === undefined
          ? {}
          : { body: { required: true, content: { 'application/json': { schema: endpoint.body } } } }),
      },
      responses: {
        200: {
          description: 'Success',
          headers,
          content: { 'application/json': { schema: endpoint.response } },
        },
        400: refusal('Bad Request: invalid input'),
        401: refusal('Unauthorized: missing or invalid token', challenge),
        403: refusal('Forbidden: insufficient permissions'),
        404: refusal('Not Found: resource not found'),
        500: refusal('Internal Server Error'),
      },
    });
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'agent-bank-sim',
      version: '2.0.0',
      description: 'A simulated bank for software agents on Solana.',
    },
    servers: [{ url: `${origin}${BASE_PATH}` }],
  });
  allowNullMembers(document);
  return document;
}
