import { McpHttp, type SessionLimits } from './http.js';
import { type WorldHere, backendHere } from './in-process.js';
import { McpService } from './mcp-service.js';

/** MCP over HTTP for a world in this process. */
export function mcpHttp(options: {
  readonly world: WorldHere;
  readonly mount: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly limits: SessionLimits;
  readonly onBug: ((error: unknown, where: string) => void) | undefined;
}): McpHttp {
  const { world, mount, limits, onBug } = options;
  const backend = backendHere(world, options.fetch, mount);
  return new McpHttp(new McpService(backend, { onBug }), limits);
}
