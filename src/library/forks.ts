import type { Incoming } from '../http/server.js';
import type { Rpc } from '../rpc/rpc.js';

/** So many forks may be served at a time: on bankrun each takes some 13 MB. */
export const MAX_FORKS = 64;

/** The id in a path such as `/w/fork-1/api/v1`; null for a path outside of forks. */
export function mountedAt(path: string): string | null {
  if (!path.startsWith('/w/')) return null;
  const end = path.slice(3).search(/[/?#]/);
  return end < 0 ? path.slice(3) : path.slice(3, 3 + end);
}

/** A fork that is served beside the world that it came from. */
export interface ServedFork {
  /** Answers a request from outside, or from this process when `door` is null. */
  answer(
    request: Request,
    door: { host: string; token: string | null } | null,
    incoming?: Incoming,
  ): Response | Promise<Response>;
  rpc(): Promise<Rpc>;
  close(): Promise<void>;
}

/** The forks that one server serves, by id. A fork of a fork stands beside it. */
export class Forks {
  readonly #forks = new Map<string, ServedFork>();
  /** Where the world that serves them serves its RPC; null while it does not. */
  rpcUrl: () => string | null = () => null;
  #made = 0;

  /** The id of the next fork. Throws RangeError when there are too many. */
  nextId(): string {
    if (this.#forks.size >= MAX_FORKS)
      throw new RangeError(`there are ${MAX_FORKS} forks already; drop some with sim fork drop ID`);
    this.#made += 1;
    return `fork-${this.#made}`;
  }

  add(id: string, fork: ServedFork): void {
    this.#forks.set(id, fork);
  }

  get(id: string): ServedFork | null {
    return this.#forks.get(id) ?? null;
  }

  ids(): string[] {
    return [...this.#forks.keys()];
  }

  /** Ends a fork. Throws RangeError for one that is not there. */
  async drop(id: string): Promise<void> {
    const fork = this.#forks.get(id);
    if (fork === undefined) throw new RangeError(`there is no fork ${id}`);
    this.#forks.delete(id);
    await fork.close();
  }

  async dropAll(): Promise<void> {
    await Promise.all(this.ids().map((id) => this.drop(id)));
  }
}
