import type { Hono } from 'hono';
import { controlObjection, isControl } from '../control/door.js';
import type { Problem } from '../control/problems.js';
import type { App } from '../http/app.js';
import { LostAnswer, connectionEnded } from '../http/answers.js';
import { type Incoming, type RunningServer, listen } from '../http/server.js';
import type { Rpc } from '../rpc/rpc.js';
import type { RunningRpc } from '../rpc/server.js';
import { type FacilitatorDoor, isFacilitator } from './facilitator-door.js';
import { type Forks, mountedAt } from './forks.js';

/** What stands behind the doors of a world. */
export interface DoorsOptions {
  /** What stands before every path; empty for the world that a server begins with. */
  readonly mount: string;
  readonly app: App;
  /** Answers a request that may not come in, or that is for nobody here. */
  readonly refused: (request: Request, problem: Problem) => Response;
  readonly facilitator: FacilitatorDoor;
  readonly forks: Forks;
  /** Makes the control interface that asks for a token. */
  readonly makeControl: (token: string | null) => Promise<Hono>;
  /** Makes the chain's JSON-RPC. Throws ClusterLimit. */
  readonly makeRpc: () => Promise<Rpc>;
}

interface Closable {
  close(): Promise<void>;
}

/** The ways into a world, in this process and over the network: its API, its control interface, the RPC of its chain. */
export class Doors {
  readonly #options: DoorsOptions;
  readonly #servers = new Set<Closable>();
  /** The control interface by the token that it asks for. */
  readonly #controls = new Map<string | null, Promise<Hono>>();
  #rpc: Promise<Rpc> | null = null;
  #isOpen = true;
  /** Where the RPC is served; null while it is not. */
  rpcUrl: string | null = null;
  /** There once somebody has asked for it. */
  readyRpc: Rpc | null = null;

  constructor(options: DoorsOptions) {
    this.#options = options;
  }

  /** Answers a request of a program in this process; rejects as fetch does when a fault has lost the answer. */
  async fetch(request: Request): Promise<Response> {
    const answer = await this.answer(request, null);
    if (answer instanceof LostAnswer) throw connectionEnded();
    return answer;
  }

  /** Serves this world and its forks; rejects with Node's error, such as EADDRINUSE. */
  async listen(options: { host: string; port: number; token: string | null }): Promise<RunningServer> {
    return this.#keep(await listen((request, incoming) => this.answer(request, options, incoming), options));
  }

  /** Serves the chain's JSON-RPC and PubSub, and those of forks, on a port and the next one. */
  async listenRpc(options: { host: string; port: number }): Promise<RunningRpc> {
    const { listenRpc } = await import('../rpc/server.js');
    const rpcAt = (path: string): Promise<Rpc> | null => {
      const id = mountedAt(path);
      if (id === null || `/w/${id}` === this.#options.mount) return this.rpc();
      return this.#options.forks.get(id)?.rpc() ?? null;
    };
    const running = await listenRpc(rpcAt, options);
    this.rpcUrl = running.url;
    return this.#keep(running);
  }

  /** The chain's JSON-RPC. Made for the first who asks: loading it takes time that most library users need not spend. */
  rpc(): Promise<Rpc> {
    if (!this.#isOpen) return Promise.reject(new Error('the simulator is closed'));
    this.#rpc ??= this.#options.makeRpc().then((made) => {
      this.readyRpc = made;
      return made;
    });
    return this.#rpc;
  }

  /** Stops all servers. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#servers].map((server) => server.close()));
    (await this.#rpc?.catch(() => null))?.close();
  }

  /** Answers a request; `door` is what one from outside came through. */
  answer(
    request: Request,
    door: { host: string; token: string | null } | null,
    incoming?: Incoming,
  ): Response | Promise<Response> {
    const { forks, mount, app, facilitator, refused } = this.#options;
    const { url } = request;
    const id = mountedAt(url.slice(url.indexOf('/', url.indexOf('//') + 2)));
    if (id !== null && `/w/${id}` !== mount) {
      const fork = forks.get(id);
      if (fork !== null) return fork.answer(request, door, incoming);
      const message = `There is no world ${id} here: it was never made, or was dropped. Make one with sim fork.`;
      return refused(request, { status: 404, code: 'fork_not_found', message });
    }
    if (isFacilitator(url, mount)) return facilitator.answer(request);
    if (!isControl(url, mount)) return app.hono.fetch(request, { incoming });
    const objection = door === null ? null : controlObjection(request, door);
    return objection === null ? this.#control(request, door?.token ?? null) : refused(request, objection);
  }

  async #control(request: Request, token: string | null): Promise<Response> {
    let control = this.#controls.get(token);
    if (control === undefined) {
      control = this.#options.makeControl(token);
      this.#controls.set(token, control);
    }
    return (await control).fetch(request);
  }

  /** Closes a server with the world, if nobody has closed it before. */
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
