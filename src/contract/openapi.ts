import { OpenAPIHono } from '@hono/zod-openapi';
import { BASE_PATH, type Endpoint } from './endpoints.js';
import { errorBody } from './common.js';

/** The OpenAPI 3.1 document of the service, for an origin. */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>, origin: string): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  const bearer = registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const json = { 'application/json': { schema: errorBody } };
    registry.registerPath({
      method: endpoint.method === 'GET' ? 'get' : 'post',
      path: endpoint.path,
      operationId: id,
      summary: endpoint.summary,
      tags: [endpoint.area],
      ...(endpoint.auth === 'bearer' ? { security: [{ [bearer.name]: [] }] } : {}),
      request: {
        ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
        ...(endpoint.query === undefined ? {} : { query: endpoint.query }),
        ...(endpoint.body === undefined
          ? {}
          : { body: { required: true, content: { 'application/json': { schema: endpoint.body } } } }),
      },
      responses: {
        200: { description: 'Success', content: { 'application/json': { schema: endpoint.response } } },
        400: { description: 'Bad Request: invalid input', content: json },
        401: { description: 'Unauthorized: missing or invalid token', content: json },
        403: { description: 'Forbidden: insufficient permissions', content: json },
        404: { description: 'Not Found: resource not found', content: json },
        500: { description: 'Internal Server Error', content: json },
      },
    });
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'agent-bank-sim',
      version: '2.0.0',
      description: 'A simulated bank for software agents on Solana.',
    },
    servers: [{ url: `${origin}${BASE_PATH}` }],
  });
}
