import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { AgentWallet } from '../sdk/client/wallet.js';
import type { Backend } from './backend.js';
import type { ConnectionOptions } from './connection-options.js';
import { McpService } from './mcp-service.js';

/** The client's end of an in-process connection to an MCP server of its own, which acts as one wallet. */
export async function transportFor(
  backend: Backend,
  wallet: AgentWallet,
  options: ConnectionOptions,
): Promise<InMemoryTransport> {
  const service = new McpService(backend);
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await service.createServer({ session: service.sessionOf(wallet), options }).connect(theirs);
  return mine;
}
