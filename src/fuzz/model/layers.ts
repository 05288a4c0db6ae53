const MAX_DEPTH = 6;

/** A map that only grows or overwrites, and whose copies cost nothing: what stood in it before a copy is shared. */
export class Layers<V> {
  #below: readonly ReadonlyMap<string, V>[];
  #top = new Map<string, V>();

  private constructor(below: readonly ReadonlyMap<string, V>[]) {
    this.#below = below;
  }

  static empty<V>(): Layers<V> {
    return new Layers<V>([]);
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

  copy(): Layers<V> {
    if (this.#top.size > 0) {
      this.#below = this.#flat([this.#top, ...this.#below]);
      this.#top = new Map();
    }
    return new Layers<V>(this.#below);
  }

  #flat(layers: readonly ReadonlyMap<string, V>[]): readonly ReadonlyMap<string, V>[] {
    if (layers.length <= MAX_DEPTH) return layers;
    const all = new Map<string, V>();
    for (const layer of layers.toReversed()) for (const [key, value] of layer) all.set(key, value);
    return [all];
  }
}
