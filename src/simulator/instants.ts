import type { InFlightWork } from '../bank/in-flight-work.js';
import type { Differences, ForkOrigin, Instant } from '../runtime/inspection/differences.js';
import { PAGE_ROWS } from '../runtime/inspection/page.js';
import { NotFound, inProcess } from '../runtime/refusals.js';
import { RequestHistory } from '../runtime/request-history.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';
import type { WorldParts } from '../runtime/world-parts.js';
import type { Forks } from './forks.js';

/** A snapshot: its id; or a request's id or the number of one of its events, for the snapshot taken before the request. */
export type SnapshotRef = string | { readonly before: string | number };

/** The name of the present instant. */
export const NOW = 'now';

interface Parts extends Pick<
  WorldParts,
  'bank' | 'config' | 'events' | 'snapshots' | 'scheduler' | 'embedded'
> {
  readonly forks: Forks;
}

/** Resolves names of instants: the present, snapshots, the world before a request, and forks. */
export class Instants {
  readonly #parts: Parts;
  readonly history: RequestHistory;
  /** For a fork: the instant that it was made from. */
  origin: ForkOrigin | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.history = new RequestHistory(parts);
  }

  /** A snapshot and its work in flight, which is null when there was none. Throws RangeError, NotFound, ClusterLimit. */
  resolve(ref: SnapshotRef): {
    readonly id: string;
    readonly snapshot: WorldSnapshot;
    readonly underWay: InFlightWork | null;
  } {
    inProcess(this.#parts.embedded, 'snapshot');
    if (typeof ref === 'string') return { id: ref, snapshot: this.#parts.snapshots.get(ref), underWay: null };
    const { request, snapshot, underWay } = this.history.get(ref.before);
    return { id: `before ${request.requestId}`, snapshot, underWay };
  }

  /** Compares two instants: by name, or the present of a world. Throws RangeError, NotFound, ClusterLimit. */
  async compare(from: string | Instants, to: string | Instants, limit = PAGE_ROWS): Promise<Differences> {
    const { differencesOf } = await import('../runtime/inspection/differences.js');
    return differencesOf(await this.#instant(from), await this.#instant(to), limit);
  }

  now(): Instant | Promise<Instant> {
    const { events, snapshots, scheduler } = this.#parts;
    return scheduler.runWithoutCatchUp(() => ({
      snapshot: snapshots.captureUnchecked(),
      events,
      lastEvent: events.last,
      origin: this.origin,
    }));
  }

  /** The state that a fork starts from: the present by default. */
  originOf(from: SnapshotRef | undefined): ForkOrigin {
    const { events } = this.#parts;
    return { events, lastEvent: from === undefined ? events.last : this.#lastEventOf(from) };
  }

  #instant(name: string | Instants): Instant | Promise<Instant> {
    if (name instanceof Instants) return name.now();
    const { events, snapshots, forks } = this.#parts;
    if (name === NOW) return this.now();
    const fork = forks.get(name);
    if (fork !== null) return fork.now();
    const ref = snapshots.ids().includes(name) ? name : { before: name };
    if (ref !== name && !/^(?:[a-z]+_)?\d+$/.test(name)) {
      inProcess(this.#parts.embedded, 'snapshot');
      const known = [NOW, ...snapshots.latest(), ...forks.ids()].join(', ');
      throw new NotFound(
        'snapshot_not_found',
        `there is no snapshot and no fork ${name}; there are ${known}, and requests (with --history), such as req_00000012`,
      );
    }
    const { snapshot } = this.resolve(ref);
    return { snapshot, events, lastEvent: this.#lastEventOf(ref), origin: null };
  }

  /** The number of the last event before an instant; null when the log no longer has it. */
  #lastEventOf(ref: SnapshotRef): number | null {
    if (typeof ref !== 'string') return this.history.get(ref.before).lastEvent;
    const { events } = this.#parts;
    for (let seq = events.last; seq >= events.oldest; seq -= 1) {
      const body = events.bodyAt(seq);
      if (body?.kind === 'world' && body.what === 'snapshot' && body.id === ref) return seq;
    }
    return null;
  }
}
