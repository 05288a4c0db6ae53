import { randomBytes } from 'node:crypto';
import {
  type CallToolResult,
  InMemoryTransport,
  type InputRequiredResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
  type Tool as McpTool,
  createRequestStateCodec,
  inputRequired,
} from '@modelcontextprotocol/server';
import { endpoints } from '../contract/endpoints.js';
import { shortText } from '../core/domain/short-text.js';
import { asciiOnly } from '../core/printable.js';
import { suggestion } from '../core/suggestion.js';
import { packageVersion } from '../core/package-root.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import type { Backend } from './backend.js';
import { bankTools } from './bank-tools.js';
import { type Approval, ConsentNeeded, callHash } from './consent.js';
import { PROMPTS, promptOf } from './prompts.js';
import { type LoggedEvent, resourcesOf } from './resources.js';
import { closed, memberNames } from './schemas.js';
import { remember } from './spending.js';
import { errorResult, toolErrorOf, toolResult } from './tool-errors.js';
import { type ConnectionOptions, connectionOptions } from './connection-options.js';
import type { Tool, ToolCall } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';
import { WalletSession } from './wallet-session.js';
import { WALLET_TOOLS } from './wallet-tools.js';
import { worldTools } from './world-tools.js';

/** A client's connection: its permissions, and the wallet it acts as. */
export interface Connection {
  readonly session: WalletSession;
  readonly options: ConnectionOptions;
}

const INSTRUCTIONS = `A simulated bank for software agents. Nothing in it has real value. You are signed in as one wallet.
The wallet holds money on chain (wallet_balance); the account at the bank is separate (account). To fund the account: wallet_send to "treasury", then deposit with its tx_signature. Call services that return 402 with fetch_paid.
A refused call is a tool error with a stable code, details and an explanation. For calls that move money choose an idempotency_key: when a response is lost, repeat the call with the same key and arguments.`;

const CONSENT = 'consent';

/** The lifetime of an approval. */
const APPROVAL_SECONDS = 600;

const VERSION = packageVersion();

const YES = {
  type: 'object' as const,
  properties: { pay: { type: 'boolean' as const, title: 'Pay', description: 'Whether to pay' } },
  required: ['pay'],
};

/** The tools, resources and prompts of one world for any number of clients. */
export class McpService {
  readonly backend: Backend;
  readonly #onBug: (error: unknown, where: string) => void;
  readonly #bankTools: ReadonlyMap<string, Tool>;
  readonly #allTools: ReadonlyMap<string, Tool>;
  /** By address, so that a wallet's spending is counted across connections. */
  readonly #sessions = new Map<string, WalletSession>();
  /** Dev wallets by number. */
  readonly #addresses = new Map<string, string>();
  /** The approvals that were used, by their nonces. */
  readonly #used = new Map<string, true>();
  readonly #codec = createRequestStateCodec<Approval>({ key: randomBytes(32), ttlSeconds: APPROVAL_SECONDS });

  constructor(
    backend: Backend,
    /** `onBug` is called with each bug; by default it is printed. */
    { onBug }: { readonly onBug?: ((error: unknown, where: string) => void) | undefined } = {},
  ) {
    this.backend = backend;
    this.#onBug =
      onBug ?? ((error, where) => console.error(`agent-bank-sim: bug in MCP tool ${where}:`, error));
    const named = (tools: readonly Tool[]) =>
      tools.map((tool) => [tool.definition.name, withKnownMembers(tool)] as const);
    const table = endpoints(backend.variants, backend.limits);
    const bank = named([...bankTools(table), ...WALLET_TOOLS]);
    this.#bankTools = new Map(bank);
    this.#allTools = new Map([...bank, ...named(worldTools())]);
  }

  sessionOf(wallet: AgentWallet): WalletSession {
    let session = this.#sessions.get(wallet.address);
    if (session === undefined)
      this.#sessions.set(wallet.address, (session = new WalletSession(wallet, this.backend)));
    return session;
  }

  /** The session of a dev wallet, by its number, or of any wallet whose key the world has, by its address. Throws RangeError. */
  async sessionAt(wallet: string): Promise<WalletSession> {
    const known = this.#sessions.get(this.#addresses.get(wallet) ?? wallet);
    if (known !== undefined) return known;
    const { wallets } = await this.backend.control.do('wallets');
    const found = /^\d$/.test(wallet)
      ? wallets[Number(wallet)]
      : wallets.find(({ address }) => address === wallet);
    if (found === undefined)
      throw new RangeError(
        `wallet ${wallet}: give the number of a dev wallet, 0 to 9, or the address of a wallet that the world has created`,
      );
    this.#addresses.set(wallet, found.address);
    return this.sessionOf(AgentWallet.fromSecretKey(found.secretKey));
  }

  /** A server for one connection, or for one request where the protocol has no connections. */
  createServer(
    { session, options }: Connection,
    onSubscribe?: (uri: string, isOn: boolean) => void,
  ): McpServer {
    const mcp = new McpServer(
      { name: 'agent-bank-sim', title: 'Simulated bank for agents', version: VERSION },
      {
        capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
        instructions: INSTRUCTIONS,
        requestState: { verify: (state, ctx) => this.#codec.verify(state, ctx) },
      },
    );
    const { server } = mcp;
    const tools = options.hasWorld ? this.#allTools : this.#bankTools;
    server.setRequestHandler('tools/list', () => ({
      tools: [...tools.values()].map(({ definition }) => definition as McpTool),
    }));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = tools.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${params.name}.`);
      const canAsk = server.getClientCapabilities()?.elicitation !== undefined;
      return this.#call(tool, params.arguments ?? {}, { session, options, ctx, canAsk });
    });
    const resources = () => resourcesOf(session, options);
    const known = (uri: string) => {
      const resource = resources().get(uri);
      if (resource === undefined) throw new ResourceNotFoundError(uri);
      return resource;
    };
    server.setRequestHandler('resources/list', () => ({
      resources: [...resources().values()].map(({ read: _read, isChangedBy: _changed, ...listed }) => listed),
    }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const resource = known(uri);
      return { contents: [{ uri, mimeType: resource.mimeType, text: await resource.read() }] };
    });
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      onSubscribe?.(known(uri).uri, true);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      onSubscribe?.(uri, false);
      return {};
    });
    server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = promptOf(params.name, params.arguments ?? {});
      if (prompt !== null) return prompt;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown prompt ${params.name}, or an argument of it is missing.`,
      );
    });
    return mcp;
  }

  /** The resources of a connection that an event may have changed. */
  changedBy({ session, options }: Connection, event: LoggedEvent): string[] {
    return [...resourcesOf(session, options).values()]
      .filter((resource) => resource.isChangedBy?.(event) === true)
      .map(({ uri }) => uri);
  }

  /** The resources that an event may have changed, of all wallets in use. */
  changedForAny(event: LoggedEvent): string[] {
    const options = [true, false].map((world) => connectionOptions({ world }));
    const uris = [...this.#sessions.values()].flatMap((session) =>
      options.flatMap((each) => this.changedBy({ session, options: each }, event)),
    );
    return [...new Set(uris)];
  }

  async #call(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    { session, options, ctx, canAsk }: Connection & { readonly ctx: ServerContext; readonly canAsk: boolean },
  ): Promise<CallToolResult | InputRequiredResult> {
    try {
      const consent = {
        call: () => callHash(tool.definition.name, args),
        canAsk,
        approved: this.#approvedIn(ctx),
      };
      const { signal } = ctx.mcpReq;
      return toolResult(
        await tool.run(args, { session, options, consent, signal, progress: progressOf(ctx) }),
      );
    } catch (error) {
      if (error instanceof ConsentNeeded)
        return inputRequired({
          inputRequests: {
            [CONSENT]: inputRequired.elicit({ message: error.question, requestedSchema: YES }),
          },
          requestState: await this.#codec.mint(error.approval, ctx),
        });
      ctx.mcpReq.signal.throwIfAborted();
      const told = await toolErrorOf(error, this.backend);
      if (told !== null) return errorResult(told);
      this.#onBug(error, tool.definition.name);
      return errorResult({
        code: 'internal_error',
        message: 'Internal error: this is a bug in the simulator.',
      });
    }
  }

  /** The payment that the user has agreed to in this round. Throws ToolRefusal for a response that does not agree. */
  #approvedIn(ctx: ServerContext): Approval | null {
    const approval = ctx.mcpReq.requestState<Approval>();
    const answer = ctx.mcpReq.inputResponses?.[CONSENT] as
      | { readonly action?: unknown; readonly content?: { readonly pay?: unknown } }
      | undefined;
    if (approval === undefined || answer === undefined) return null;
    if (answer.action !== 'accept' || answer.content?.pay === false)
      throw new ToolRefusal('consent_declined', 'The user did not agree to this payment. Nothing was paid.');
    if (answer.content?.pay !== true)
      throw new ToolRefusal('consent_declined', 'The response lacks pay: true. Nothing was paid.');
    return remember(this.#used, approval.nonce, true) ? approval : null;
  }
}

/** Makes a tool refuse unknown members: ignoring one could do something other than the caller meant. */
function withKnownMembers(tool: Tool): Tool {
  const { definition } = tool;
  const { name, inputSchema } = definition;
  const known = memberNames(inputSchema);
  return {
    definition: { ...definition, inputSchema: closed(inputSchema) },
    run: async (args, call) => {
      const unknown = Object.keys(args).find((member) => !known.includes(member));
      if (unknown === undefined) return tool.run(args, call);
      const member = asciiOnly(shortText(unknown));
      const hint = suggestion(member, known) || `; it has ${known.join(', ') || 'none'}`;
      throw new ToolRefusal('invalid_request', `${member}: is not a member of ${name}${hint}`);
    },
  };
}

function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  return (progress, total, message) =>
    mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message, ...(total === null ? {} : { total }) },
    });
}

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
