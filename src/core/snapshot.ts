/** Something whose state can be taken and set as a value. */
export interface Snapshotable<S> {
  snapshot(): S;
  restore(snapshot: S): void | Promise<void>;
}

/** What holds each member of a snapshot, in the order in which they are restored; a member missing here does not compile. */
export type SnapshotParts<S> = { readonly [K in keyof S]-?: Snapshotable<S[K]> };

/** The state of all parts. */
export function snapshotOf<S extends object>(parts: SnapshotParts<S>): S {
  const made: Partial<S> = {};
  for (const name in parts) made[name] = parts[name].snapshot();
  return made as S;
}

/** Sets the state of all parts. Those that need not wait are restored before this returns. */
export async function restoreParts<S extends object>(parts: SnapshotParts<S>, snapshot: S): Promise<void> {
  const names = Object.keys(parts) as (keyof S)[];
  await Promise.all(names.map(async (name) => parts[name].restore(snapshot[name])));
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
