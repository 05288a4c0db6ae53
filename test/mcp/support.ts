import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import type { Backend } from '../../src/mcp/backend.js';
import { backendHere } from '../../src/mcp/in-process.js';
import { connectionOptions, type GivenOptions } from '../../src/mcp/connection-options.js';
import { McpService } from '../../src/mcp/mcp-service.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { agentWith, world } from '../support/world.js';

/** The result of a tool. */
export interface Told {
  readonly isError: boolean;
  /** The structured content; of an error, the JSON of its text. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the form of its tool
  readonly content: Record<string, any>;
  readonly text: string;
}

/** Calls a tool. */
export async function tell(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Told> {
  const result = await client.callTool({ name, arguments: args });
  const [block] = result.content;
  const text = block?.type === 'text' ? block.text : '';
  const isError = result.isError === true;
  // The output schema describes successes only, and clients compare structured content with it.
  if (isError) expect(result.structuredContent).toBeUndefined();
  const content = (isError ? JSON.parse(text) : (result.structuredContent ?? {})) as Told['content'];
  return { isError, content, text };
}

/** What a call of a tool comes to: the code of its error, or ok. */
export async function outcome(client: Client, name: string, args?: Record<string, unknown>): Promise<string> {
  const { isError, content } = await tell(client, name, args);
  return isError ? content['error'].code : 'ok';
}

/** The protocol versions that a client asks for. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** An unconnected client. */
export function clientOf(era: Era, options: ClientOptions = {}): Client {
  const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, ...options });
}

/** A client over HTTP of a listening world. */
export async function overHttp(
  url: string,
  era: Era = '2026-07-28',
  options: ClientOptions = {},
): Promise<Client> {
  const client = clientOf(era, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

/** A client in this process, without a network. */
export async function inProcess(
  sim: Simulator,
  {
    wallet = 0,
    options = {},
    given = {},
    service = serviceOf(sim),
  }: { wallet?: number; options?: ClientOptions; given?: GivenOptions; service?: McpService } = {},
): Promise<Client> {
  const session = await service.sessionAt(String(wallet));
  const server = service.createServer({ session, options: connectionOptions(given) });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = clientOf('2025-11-25', options);
  await client.connect(mine);
  onTestFinished(() => client.close());
  return client;
}

/** The MCP service of a world, in this process unless another backend is given. */
export function serviceOf(
  sim: Simulator,
  backend: Backend = backendHere(sim, (request) => sim.fetch(request)),
): McpService {
  const onBug = (error: unknown, where: string) => {
    throw new Error(`bug in ${where}`, { cause: error });
  };
  return new McpService(backend, { onBug });
}

/** A world whose first wallet has USDC in its account, and a client that acts as this wallet. */
export async function funded(usdc: number, given: GivenOptions = {}, options: ClientOptions = {}) {
  const sim = await world();
  await agentWith(sim, 0, { usdc });
  return { sim, client: await inProcess(sim, { given, options }) };
}

/** The URL of a world that is served, whose first wallet has USDC in its account. */
export async function served(usdc: number, options: SimulatorOptions = {}) {
  const sim = await world(options);
  await agentWith(sim, 0, { usdc });
  return { sim, url: `${(await sim.listen()).origin}/mcp` };
}
