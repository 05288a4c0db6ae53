/** A map without deletion whose copies are cheap: entries made before a copy are shared. */
export class CopyOnWriteMap<V> {
  #below: readonly ReadonlyMap<string, V>[];
  #top = new Map<string, V>();

  private constructor(below: readonly ReadonlyMap<string, V>[]) {
    this.#below = below;
  }

  static empty<V>(): CopyOnWriteMap<V> {
    return new CopyOnWriteMap<V>([]);
  }

  get(key: string): V | undefined {
    const own = this.#top.get(key);
    if (own !== undefined) return own;
    for (const layer of this.#below) {
      const value = layer.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(key: string, value: V): void {
    this.#top.set(key, value);
  }

  values(): readonly V[] {
    return [...new Map([this.#top, ...this.#below].toReversed().flatMap((layer) => [...layer])).values()];
  }

  copy(): CopyOnWriteMap<V> {
    if (this.#top.size > 0) {
      this.#below = merged([this.#top, ...this.#below]);
      this.#top = new Map();
    }
    return new CopyOnWriteMap<V>(this.#below);
  }
}

/** Merges a layer into the next lower one unless that is much larger. This keeps layers few and copies cheap. */
function merged<V>(layers: readonly ReadonlyMap<string, V>[]): readonly ReadonlyMap<string, V>[] {
  const [top, next, ...rest] = layers;
  if (top === undefined || next === undefined || top.size * 4 < next.size) return layers;
  const both = new Map(next);
  for (const [key, value] of top) both.set(key, value);
  return merged([both, ...rest]);
}
