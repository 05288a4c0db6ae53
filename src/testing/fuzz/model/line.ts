/** A published value of a token: the APY of its savings in millionths, or its price in hundred-millionths of a USD. */
export type Kind = 'apy' | 'usd';

interface Change {
  readonly fromMs: number;
  readonly value: bigint;
  /** Whether it was scheduled ahead. */
  readonly isPlanned: boolean;
}

/** A published value over the time of a world, past and planned; immutable. Source: docs/reference/rates.md. */
export class Line {
  readonly #changes: readonly Change[];

  constructor(changes: readonly Change[]) {
    this.#changes = changes;
  }

  at(atMs: number): bigint {
    const now = this.#changes.findLast(({ fromMs }) => fromMs <= atMs) ?? this.#changes[0];
    return (now as Change).value;
  }

  /** The next instant at which it may change; null for none. */
  nextAfter(atMs: number): number | null {
    return this.#changes.find(({ fromMs }) => fromMs > atMs)?.fromMs ?? null;
  }

  /** The next instant of a change that was scheduled ahead. */
  nextEventAfter(atMs: number): number | null {
    return this.#changes.find(({ fromMs, isPlanned }) => fromMs > atMs && isPlanned)?.fromMs ?? null;
  }

  /** Sets the value from an instant on, and removes later changes. */
  follow(value: bigint, fromMs: number, isPlanned: boolean): Line {
    return new Line([...this.#until(fromMs), { fromMs, value, isPlanned }]);
  }

  /** Keeps the current value from an instant on. */
  held(fromMs: number): Line {
    return this.follow(this.at(fromMs), fromMs, false);
  }

  /** Follows another line from an instant on. */
  resumed(other: Line, fromMs: number): Line {
    const now = { fromMs, value: other.at(fromMs), isPlanned: false };
    return new Line([
      ...this.#until(fromMs),
      now,
      ...other.#changes.filter((change) => change.fromMs > fromMs),
    ]);
  }

  /** The instants of later changes. */
  plannedAfter(atMs: number): number[] {
    return this.#changes.map(({ fromMs }) => fromMs).filter((fromMs) => fromMs > atMs);
  }

  #until(atMs: number): readonly Change[] {
    return this.#changes.filter(({ fromMs }) => fromMs < atMs);
  }
}
