import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { AgentWallet } from '../sdk/client/wallet.js';
import type { Backend } from './backend.js';
import type { ConnectionOptions } from './connection-options.js';
import { McpService } from './mcp-service.js';

/** The client's end of a connection, in this process, to a server of its own that acts as a wallet. */
export async function transportFor(
  backend: Backend,
  wallet: AgentWallet,
  options: ConnectionOptions,
): Promise<InMemoryTransport> {
  const service = new McpService(backend, {
    onBug: (error, where) => console.error(`agent-bank-sim: bug in MCP tool ${where}:`, error),
  });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await service.createServer({ session: service.sessionOf(wallet), options }).connect(theirs);
  return mine;
}
