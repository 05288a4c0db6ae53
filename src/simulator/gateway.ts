import type { Hono } from 'hono';
import {
  CONTROL_PREFIX,
  controlObjection,
  foreignPage,
  inspectorObjection,
  tokenObjection,
} from '../api/control/admission.js';
import type { ControlWorld } from '../api/control/world.js';
import { connectionEnded, textAnswer } from '../api/http/answers.js';
import { App } from '../api/http/app.js';
import type { Service } from '../api/http/service.js';
import { PendingRequest } from '../api/pipeline/pending-request.js';
import { LostAnswer, type RequestPipeline } from '../api/pipeline/pipeline.js';
import { type Incoming, type RunningServer, listen } from '../api/server.js';
import { NO_STORE, bearerChallenge, corsHeaders, wantsPage } from '../api/headers.js';
import type { InspectorFiles } from '../api/inspector-files.js';
import { type ListensOn, type Problem, pageOrigins } from '../api/origin-guard.js';
import type { Rpc } from '../api/rpc/rpc.js';
import type { RunningRpc } from '../api/rpc/server.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import { keptText } from '../core/domain/short-text.js';
import { inProcess } from '../runtime/refusals.js';
import { KeyRing } from '../world/keys.js';
import type { Composition } from './composition.js';
import { FACILITATOR_PREFIX, FacilitatorRoute } from './facilitator-route.js';
import { type Listener, mountedAt } from './forks.js';

interface GatewayParts extends Composition {
  /** What the control interface reads and changes. */
  readonly world: ControlWorld;
  readonly service: Service;
  readonly pipeline: RequestPipeline;
}

const MCP_PATH = /^\/mcp(?:[?#]|$)/;
const INSPECTOR_PATH = /^\/inspector(?:[/?#]|$)/;
const ROOT_PATH = /^\/?(?:[?#]|$)/;

interface Closable {
  close(): Promise<void>;
}

/** Serves MCP clients. Users of this package do not see the types of the MCP SDK. */
interface McpListener extends Closable {
  answer(request: Request): Promise<Response>;
}

/** Where a server listens; defaults to loopback, a free port and no additional host names. */
export interface ServerOptions {
  readonly host?: string;
  readonly port?: number;
  /** Host names to accept in addition to the server's addresses, loopback names and `host`. */
  readonly allowHosts?: readonly string[];
  /** Origins of pages that may call the API or the RPC, such as `http://localhost:5173`; never the control interface. */
  readonly cors?: readonly string[];
}

function resolved({
  host = '127.0.0.1',
  port = 0,
  allowHosts = [],
  cors = [],
}: ServerOptions): ListensOn & { port: number; cors: ReadonlySet<string> } {
  return { host, port, allowHosts, cors: pageOrigins(cors) };
}

/** Keeps browsers from exposing a response to other origins, from sniffing it as a script, and from storing it. */
const NOT_FOR_PAGES = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  ...NO_STORE,
};

function withHeaders(answer: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

/** Routes requests, in process and over the network, to a world's API, control interface, facilitator and RPC. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #app: App;
  readonly #facilitator: FacilitatorRoute;
  readonly #servers = new Set<Closable>();
  /** Control interfaces by required token. */
  readonly #controls = new Map<string | null, Promise<Hono>>();
  #rpc: Promise<Rpc> | null = null;
  /** Loaded on first use: few worlds serve MCP clients. */
  #mcp: Promise<McpListener> | null = null;
  /** Read on first use: few worlds are inspected. */
  #inspector: Promise<InspectorFiles | null> | null = null;
  #isOpen = true;
  /** `null` until first requested. */
  readyRpc: Rpc | null = null;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    const { service, mount, forks, embedded, bank } = parts;
    this.#app = new App({
      service,
      rpcUrl: () => forks.rpcUrl && forks.rpcUrl + mount,
      mount,
      hasInspector: parts.config.inspector,
      nowMs: () => parts.clock.nowMs(),
    });
    const chain = embedded?.chain ?? null;
    this.#facilitator = new FacilitatorRoute({ ...parts, chain, key: bank.addresses.facilitator });
  }

  /** Responds to an in-process request; rejects like fetch when the response is lost to a fault or the caller has aborted. */
  async fetch(request: Request): Promise<Response> {
    try {
      return await this.answer(request, null);
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      request.signal.throwIfAborted();
      throw connectionEnded();
    }
  }

  /** Serves this world and its forks; rejects with Node's error, such as EADDRINUSE, and RangeError for an invalid origin. */
  async listen(options: ServerOptions & { readonly controlToken?: string }): Promise<RunningServer> {
    const at = { ...resolved(options), token: options.controlToken ?? null };
    const server = await listen((request, incoming) => this.answer(request, at, incoming), {
      ...at,
      refused: (line, problem) => this.#refusal(line, problem),
    });
    return this.#keep(server);
  }

  /** Serves the JSON-RPC and PubSub of the chain and of forks, on a port and the next one. */
  async listenRpc(options: ServerOptions): Promise<RunningRpc> {
    const { listenRpc } = await import('../api/rpc/server.js');
    const { forks, mount } = this.#parts;
    const rpcAt = (path: string): Promise<Rpc> | null => {
      const id = mountedAt(path);
      if (id === null || `/w/${id}` === mount) return this.rpc();
      return forks.get(id)?.rpc() ?? null;
    };
    const running = await listenRpc(rpcAt, resolved(options));
    if (mount === '') forks.rpcUrl = running.url;
    return this.#keep(running);
  }

  /** The chain's JSON-RPC, created on first use, since loading it takes time that most library users need not spend. */
  rpc(): Promise<Rpc> {
    if (!this.#isOpen) return Promise.reject(new Error('the simulator is closed'));
    this.#rpc ??= this.#makeRpc();
    return this.#rpc;
  }

  async #makeRpc(): Promise<Rpc> {
    const { config, embedded, pipeline } = this.#parts;
    const { seed, variants, limits, landingDelayMs } = config;
    const { chain, faucet, transactionFaults } = inProcess(embedded, 'rpc');
    const { Rpc } = await import('../api/rpc/rpc.js');
    this.readyRpc = new Rpc({
      chain,
      faucet,
      transactionFaults,
      limits,
      landingDelayMs,
      genesisHash: GENESIS_HASHES[variants.network],
      identity: new KeyRing(seed).derive('validator').address,
      pipeline,
    });
    return this.readyRpc;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#servers].map((server) => server.close()));
    (await this.#rpc?.catch(() => null))?.close();
    await (await this.#mcp?.catch(() => null))?.close();
  }

  /** Responds to a request; `listener` is the one it arrived at, null for an in-process request. */
  answer(request: Request, listener: Listener | null, incoming?: Incoming): Response | Promise<Response> {
    const { forks, mount } = this.#parts;
    const { url } = request;
    const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
    const id = mountedAt(path);
    if (id !== null && `/w/${id}` !== mount) {
      const fork = forks.get(id);
      if (fork !== null) return fork.answer(request, listener, incoming);
      const message = `World ${id} is not served here: it was never created, or was dropped. Create a fork with sim fork.`;
      return this.#refuse(request, { status: 404, code: 'fork_not_found', message });
    }
    const own = path.slice(mount.length);
    if (INSPECTOR_PATH.test(own) || (ROOT_PATH.test(own) && wantsPage(request)))
      return this.#inspect(own, request, { listener, incoming });
    const isForFacilitator = own.startsWith(FACILITATOR_PREFIX);
    const isForMcp = MCP_PATH.test(own);
    if (!isForFacilitator && !isForMcp && !own.startsWith(CONTROL_PREFIX))
      return this.#api(request, listener, incoming);
    const objection = isForFacilitator
      ? foreignPage(request)
      : listener && controlObjection(request, listener);
    if (objection !== null) return withHeaders(this.#refuse(request, objection), NOT_FOR_PAGES);
    const token = listener?.token ?? null;
    const answer = isForFacilitator
      ? this.#facilitator.answer(request)
      : isForMcp
        ? this.#answerMcp(request, token)
        : this.#control(request, token);
    return answer.then((late) => withHeaders(late, NOT_FOR_PAGES));
  }

  /** Responds to a request of the API, and to preflight requests of pages that may call it. */
  async #api(request: Request, listener: Listener | null, incoming?: Incoming): Promise<Response> {
    const answer = () => this.#app.hono.fetch(request, { incoming });
    const { origin, 'access-control-request-headers': requested } = incoming?.headers ?? {};
    if (origin === undefined || listener?.cors.has(origin) !== true) return answer();
    const headers = corsHeaders(origin, requested);
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers });
    return withHeaders(await answer(), headers);
  }

  /** Responds with a file of the inspector. Such a request has no number and is not logged, since these files are not part of the world. */
  async #inspect(
    path: string,
    request: Request,
    { listener, incoming }: { listener: Listener | null; incoming: Incoming | undefined },
  ): Promise<Response> {
    if (this.#parts.config.inspector)
      this.#inspector ??= import('../api/inspector-files.js').then(({ inspectorFiles }) => inspectorFiles());
    const files = await this.#inspector;
    const objection = listener && inspectorObjection(request, listener);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // The API has a page of its own at the root.
    if (files === null || (ROOT_PATH.test(path) && (objection !== null || !isRead)))
      return this.#api(request, listener, incoming);
    const refuse = (why: Problem) => withHeaders(this.#refuse(request, why), NOT_FOR_PAGES);
    if (objection !== null) return refuse(objection);
    if (!isRead) {
      const message =
        'The inspector takes GET requests only; its actions are commands of the control interface.';
      return withHeaders(refuse({ status: 405, code: 'method_not_allowed', message }), {
        allow: 'GET, HEAD',
      });
    }
    const message = 'The inspector does not have this file; reload the page if the simulator was updated.';
    return files(path.replace(/[?#].*$/s, '')) ?? refuse({ status: 404, code: 'not_found', message });
  }

  async #control(request: Request, token: string | null): Promise<Response> {
    let control = this.#controls.get(token);
    if (control === undefined) {
      control = this.#makeControl(token);
      this.#controls.set(token, control);
    }
    return (await control).fetch(request);
  }

  async #makeControl(token: string | null): Promise<Hono> {
    const { world, config, mount, pipeline } = this.#parts;
    const { controlApp } = await import('../api/control/app.js');
    return controlApp({ world, limits: config.limits, token, mount, pipeline });
  }

  async #answerMcp(request: Request, token: string | null): Promise<Response> {
    const objection = tokenObjection(request, token);
    if (objection !== null) {
      const challenge = bearerChallenge(request.headers.has('authorization'));
      return withHeaders(this.#refuse(request, objection), challenge);
    }
    if (!this.#isOpen) throw new Error('the simulator is closed');
    this.#mcp ??= this.#makeMcp();
    return (await this.#mcp).answer(request);
  }

  async #makeMcp(): Promise<McpListener> {
    const { mount, config, hooks } = this.#parts;
    const { mcpHttp } = await import('../mcp/http.js');
    const fetch = (request: Request) => this.fetch(request);
    return mcpHttp({ world: this.#parts, mount, fetch, limits: config.limits, onBug: hooks.onBug });
  }

  /** Responds to a request that is not admitted or has no world here. */
  #refuse({ method, url }: Request, problem: Problem): Response {
    return this.#refusal({ method, path: new URL(url).pathname }, problem);
  }

  /** Makes the response of a refusal, and logs it as a request of the control interface. */
  #refusal(
    { method, path }: { readonly method: string; readonly path: string },
    { status, code, message }: Problem,
  ): Response {
    const { pipeline } = this.#parts;
    const requestId = pipeline.newRequestId('ctl');
    const pending = new PendingRequest({ requestId, interface: 'control', method, path: keptText(path) });
    Object.assign(pending.record, { status, code, message });
    pipeline.log(pending);
    const body = { error: message, code, details: {}, requestId };
    return textAnswer(JSON.stringify(body), status, requestId);
  }

  /** Closes a server when the world is closed, unless it was closed before. */
  #keep<T extends Closable>(server: T): T {
    const entry = {
      ...server,
      close: async () => {
        this.#servers.delete(entry);
        await server.close();
      },
    };
    this.#servers.add(entry);
    return entry;
  }
}
