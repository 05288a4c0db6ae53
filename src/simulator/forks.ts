import { setImmediate } from 'node:timers/promises';
import type { Incoming } from '../api/http/server.js';
import type { Rpc } from '../api/rpc/rpc.js';

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
    listener: { host: string; token: string | null } | null,
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
  readonly #maxForks: number;
  #made = 0;
  /** Forks that are being made. */
  #making = 0;
  /** The end of the making that is under way. */
  #lastMaking: Promise<unknown> = Promise.resolve();

  constructor(maxForks: number) {
    this.#maxForks = maxForks;
  }

  /** Makes a fork and serves it under a new id. Throws RangeError when there are too many, those being made among them. */
  async open<T>(
    make: (mount: string) => Promise<T>,
    served: (made: T) => ServedFork,
  ): Promise<{ readonly id: string; readonly made: T }> {
    if (this.#forks.size + this.#making >= this.#maxForks)
      throw new RangeError(
        `there are ${this.#maxForks} forks already; drop some with sim fork drop ID, or start with --limit forks=<more>`,
      );
    this.#made += 1;
    this.#making += 1;
    const id = `fork-${this.#made}`;
    try {
      // One after the other, with a turn for other requests in between, since making one keeps them waiting.
      const making = this.#lastMaking.then(() => make(`/w/${id}`));
      this.#lastMaking = making.catch(() => undefined).then(() => setImmediate());
      const made = await making;
      this.#forks.set(id, served(made));
      return { id, made };
    } finally {
      this.#making -= 1;
    }
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
