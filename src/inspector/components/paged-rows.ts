import { signal } from '@preact/signals';
import type { Pacer } from '../control/pacer.js';
import { Repeater } from '../control/repeater.js';

export interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly size: number;
}

type Read<T> = (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<Page<T>>;

/** The loaded part of a list; rows are null before the first page. */
interface State<T> {
  readonly rows: readonly T[] | null;
  readonly size: number | null;
  readonly error: string | null;
}

const PAGE = 200;
const MOST_AT_ONCE = 1_000;
/** The most rows that are read again when the world has changed; later rows stay as they were. */
const REFRESHED = 2_000;

/** Rows of a list that is read by page, up to the furthest row scrolled to. */
export class PagedRows<T> extends Repeater {
  readonly state = signal<State<T>>({ rows: null, size: null, error: null });
  readonly keyOf: (row: T) => string | number;
  readonly #read: Read<T>;
  #next: string | null = null;
  #isReadingMore = false;

  constructor(
    read: Read<T>,
    { keyOf, pacer }: { readonly keyOf: (row: T) => string | number; readonly pacer: Pacer },
  ) {
    // What it repeats is to read the loaded rows.
    super(pacer, (stop) => this.#take(stop, () => this.#again()));
    this.#read = read;
    this.keyOf = keyOf;
  }

  /** Reads the next page, if there is one. */
  more(): void {
    if (this.#next === null || this.#isReadingMore) return;
    this.#isReadingMore = true;
    void this.inTurn(async (stop) => {
      await this.#take(stop, () => this.#further());
      this.#isReadingMore = false;
    });
  }

  async #again(): Promise<State<T>> {
    const before = this.state.value.rows ?? [];
    const wanted = Math.max(1, Math.min(before.length, REFRESHED));
    let [rows, next, size]: [T[], string | null, number] = [[], null, 0];
    do {
      const limit = Math.min(MOST_AT_ONCE, Math.max(PAGE, wanted - rows.length));
      const page = await this.#read({ cursor: next ?? undefined, limit });
      rows = [...rows, ...page.rows];
      ({ next, size } = page);
    } while (next !== null && rows.length < wanted);
    if (before.length > rows.length && next !== null) {
      const known = new Set(rows.map(this.keyOf));
      rows = [...rows, ...before.slice(wanted).filter((row) => !known.has(this.keyOf(row)))];
    } else this.#next = next;
    return { rows, size, error: null };
  }

  async #further(): Promise<State<T>> {
    const { rows, next, size } = await this.#read({ cursor: this.#next ?? undefined, limit: MOST_AT_ONCE });
    this.#next = next;
    return { rows: [...(this.state.value.rows ?? []), ...rows], size, error: null };
  }

  async #take(stop: AbortSignal, reading: () => Promise<State<T>>): Promise<void> {
    try {
      const state = await reading();
      if (!stop.aborted) this.state.value = state;
    } catch (error) {
      // A simulator that does not answer is no matter of this list: the page says so at its top.
      if (stop.aborted || (error as { status?: number }).status === 0) return;
      const text = error instanceof Error ? error.message : 'The list cannot be read.';
      this.state.value = { ...this.state.value, error: text };
    }
  }
}
