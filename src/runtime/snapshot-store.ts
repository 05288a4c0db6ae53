import type { BankSnapshot } from '../bank/bank.js';
import type { SimulatorConfig } from './config.js';
import type { Snapshotable } from '../core/snapshot.js';
import type { FaultsSnapshot } from './faults/fault-rules.js';
import type { ClockSnapshot } from '../world/clock.js';
import type { Oracle, OracleSnapshot } from '../world/oracle.js';
import type { EmbeddedChainSnapshot, EmbeddedChain } from './embedded-chain.js';
import { inProcess } from './refusals.js';

/** The state of a world at one instant, as a value. */
export interface WorldSnapshot {
  readonly bank: BankSnapshot;
  readonly ground: EmbeddedChainSnapshot;
  readonly clock: ClockSnapshot;
  readonly oracle: OracleSnapshot;
  /** The instant up to which changes of rates and prices have been reported. */
  readonly seenMs: number;
  readonly faults: FaultsSnapshot;
  readonly walletsMade: number;
  /** The states of the attached parts, by number; those missing begin again. Without the member, which files omit, all stay as they are. */
  readonly attached?: Readonly<Record<number, unknown>>;
}

/** The world without its chain and without attached parts. */
export type OwnState = Omit<WorldSnapshot, 'ground' | 'attached'>;

interface Parts {
  /** `null` on a cluster. */
  readonly embedded: EmbeddedChain | null;
  readonly oracle: Oracle;
  readonly config: SimulatorConfig;
}

/** Takes, stores and restores snapshots of a world. On a cluster they throw ClusterLimit. */
export class SnapshotStore {
  readonly #state: Snapshotable<OwnState>;
  /** The attached parts, each with the state to restore from a snapshot taken before it was attached. */
  readonly #attached: { readonly part: Snapshotable<unknown>; readonly initially: unknown }[] = [];
  readonly #parts: Parts;
  readonly #byId = new Map<string, WorldSnapshot>();
  #snapshots = 0;

  constructor(state: Snapshotable<OwnState>, parts: Parts) {
    this.#state = state;
    this.#parts = parts;
  }

  /** Includes a part in all further snapshots; for older snapshots its current state is restored. */
  attach(part: Snapshotable<unknown>): void {
    this.#attached.push({ part, initially: part.snapshot() });
  }

  /** A snapshot, after verifying the bank's predicted transfers against the engine. Must run exclusively. */
  async capture(): Promise<WorldSnapshot> {
    await this.#embedded.chain.verifyPredictions();
    return this.captureUnchecked();
  }

  /** A snapshot without that verification, whatever is in flight. */
  captureUnchecked(): WorldSnapshot {
    return {
      ...this.captureWithoutAttached(),
      attached: Object.fromEntries(this.#attached.map(({ part }, at) => [at, part.snapshot()])),
    };
  }

  /** `captureUnchecked` without the attached parts, whose changes are not undone with the world's. */
  captureWithoutAttached(): WorldSnapshot {
    return { ...this.#state.snapshot(), ground: this.#embedded.snapshot() };
  }

  /** `capture` in canonical form, equal for equal worlds: pending rate changes of yield indices are applied first. */
  async captureCanonical(): Promise<WorldSnapshot> {
    const { nowMs } = this.#state.snapshot().clock;
    this.#parts.oracle.earnUntil(nowMs);
    return this.capture();
  }

  /** Restores a snapshot. Must run exclusively. */
  async restore(snapshot: WorldSnapshot): Promise<void> {
    this.#state.restore(snapshot);
    await this.#embedded.restore(snapshot.ground);
    const { attached } = snapshot;
    if (attached === undefined) return;
    for (const [at, { part, initially }] of this.#attached.entries()) part.restore(attached[at] ?? initially);
  }

  /** Stores a snapshot and returns its id. Throws RangeError for too many. */
  keep(snapshot: WorldSnapshot): string {
    const { snapshots: maxSnapshots } = this.#parts.config.limits;
    if (this.#byId.size >= maxSnapshots)
      throw new RangeError(
        `there are already ${maxSnapshots} snapshots, which is the limit snapshots; delete some`,
      );
    this.#snapshots += 1;
    const id = `snapshot-${this.#snapshots}`;
    this.#byId.set(id, snapshot);
    return id;
  }

  /** A stored snapshot. Throws RangeError for an unknown id. */
  get(id: string): WorldSnapshot {
    const snapshot = this.#byId.get(id);
    if (snapshot !== undefined) return snapshot;
    throw new RangeError(
      `unknown snapshot ${id}; known, latest first: ${this.latest().join(', ') || 'none'}`,
    );
  }

  /** The ids that a message names, latest first. */
  latest(): string[] {
    return this.ids().toReversed().slice(0, 5);
  }

  /** The ids of all stored snapshots, oldest first. */
  ids(): string[] {
    return [...this.#byId.keys()];
  }

  drop(id: string): void {
    this.#byId.delete(id);
  }

  dropAll(): void {
    this.#byId.clear();
  }

  get #embedded(): EmbeddedChain {
    return inProcess(this.#parts.embedded, 'snapshot');
  }
}
