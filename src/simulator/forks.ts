import { setImmediate } from 'node:timers/promises';
import type { Incoming } from '../api/server.js';
import type { Instant } from '../runtime/inspection/differences.js';
import type { Rpc } from '../api/rpc/rpc.js';

/** The fork id in a path such as `/w/fork-1/api/v1`; null for other paths. */
export function mountedAt(path: string): string | null {
  if (!path.startsWith('/w/')) return null;
  const end = path.slice(3).search(/[/?#]/);
  return end < 0 ? path.slice(3) : path.slice(3, 3 + end);
}

export interface Listener {
  readonly host: string;
  /** Required by the control interface unless null. */
  readonly token: string | null;
  /** Origins of pages that may call the API. */
  readonly cors: ReadonlySet<string>;
}

/** A fork served beside the world that it was made from. */
export interface ServedFork {
  /** The id of the fork that it was made from; null for the first world. */
  readonly parent: string | null;
  /** Responds to a request from a listener, or from this process when `listener` is null. */
  answer(request: Request, listener: Listener | null, incoming?: Incoming): Response | Promise<Response>;
  rpc(): Promise<Rpc>;
  now(): Instant | Promise<Instant>;
  close(): Promise<void>;
}

/** The forks that one server serves, by id. A fork of a fork is served on the same level. */
export class Forks {
  readonly #forks = new Map<string, ServedFork>();
  /** The RPC URL of the world that serves the forks; null when it serves none. */
  rpcUrl: string | null = null;
  readonly #maxForks: number;
  #made = 0;
  /** Number of forks being created. */
  #making = 0;
  /** Settles when the last creation in the queue has ended. */
  #lastMaking: Promise<unknown> = Promise.resolve();

  constructor(maxForks: number) {
    this.#maxForks = maxForks;
  }

  /** Creates a fork and serves it under a new id. Throws RangeError when there are too many, including those being created. */
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
      // One at a time, yielding to other requests in between: creating a fork blocks them.
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

  /** A fork. Throws RangeError for an unknown id. */
  known(id: string): ServedFork {
    const fork = this.#forks.get(id);
    if (fork === undefined) throw new RangeError(`there is no fork ${id}`);
    return fork;
  }

  /** Closes a fork. Throws RangeError for an unknown id. */
  async drop(id: string): Promise<void> {
    const fork = this.known(id);
    this.#forks.delete(id);
    await fork.close();
  }

  async dropAll(): Promise<void> {
    await Promise.all(this.ids().map((id) => this.drop(id)));
  }
}
