/** Measurements of a run as JSON. `rows` has three numbers for each value: its tick, the index of its key in `keys`, and the value. */
export interface RunSeries {
  /** Metrics and keys, in the order in which they appeared. */
  readonly keys: readonly (readonly [metric: string, key: string])[];
  readonly rows: readonly number[];
}

/** Collects measurements. A key starts at its first nonzero value and then has a value at each measurement, unless its metric has gaps. */
export class SeriesWriter {
  readonly #keys: [string, string][] = [];
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #rows: number[] = [];

  add(tick: number, metric: string, values: Readonly<Record<string, number>>, hasGaps = false): void {
    const known = this.#numbers.get(metric) ?? new Map<string, number>();
    this.#numbers.set(metric, known);
    for (const key of Object.keys(values).toSorted()) {
      const value = values[key] as number;
      if (!Number.isFinite(value))
        throw new RangeError(`${metric} ${key} is ${value}, which is not a number`);
      if (known.has(key) || (value === 0 && key !== '' && !hasGaps)) continue;
      known.set(key, this.#keys.length);
      this.#keys.push([metric, key]);
    }
    for (const [key, number] of known)
      if (key in values || !hasGaps) this.#rows.push(tick, number, values[key] ?? 0);
  }

  series(): RunSeries {
    return { keys: this.#keys, rows: this.#rows };
  }
}
