/** Something whose state can be taken and set as a value. */
export interface Snapshotable<S> {
  snapshot(): S;
  restore(snapshot: S): void;
}

/** The states of several parts as one, restored in the order of the parts. A member without a part does not compile. */
export class CompositeState<S extends object> implements Snapshotable<S> {
  readonly #parts: readonly [string, Snapshotable<unknown>][];
  /** All members exist before they are set, which is faster. */
  readonly #blank: Readonly<Record<string, unknown>>;

  constructor(parts: { readonly [K in keyof S]-?: Snapshotable<S[K]> }) {
    this.#parts = Object.entries(parts);
    this.#blank = { ...parts };
  }

  snapshot(): S {
    const made = { ...this.#blank };
    for (const [name, part] of this.#parts) made[name] = part.snapshot();
    return made as S;
  }

  restore(snapshot: S): void {
    for (const [name, part] of this.#parts) part.restore(snapshot[name as keyof S]);
  }
}

/** A value that is replaced on write. */
export class Cell<T> implements Snapshotable<T> {
  constructor(public value: T) {}

  snapshot(): T {
    return this.value;
  }

  restore(snapshot: T): void {
    this.value = snapshot;
  }
}
