import { signal } from '@preact/signals';
import type { Pacer } from '../control/pacer.js';

export interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly size: number;
}

type Read<T> = (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<Page<T>>;

/** What has been read of a list; rows are null before the first page. */
interface State<T> {
  readonly rows: readonly T[] | null;
  readonly size: number | null;
  readonly error: string | null;
}

const PAGE = 200;
const MOST_AT_ONCE = 1_000;
/** The most rows that are read again when the world has changed; those beyond stay as they were read. */
const REFRESHED = 2_000;

/** Rows of a list that is read by page, as far as it has been scrolled. */
export class PagedRows<T> {
  readonly state = signal<State<T>>({ rows: null, size: null, error: null });
  readonly keyOf: (row: T) => string | number;
  readonly #read: Read<T>;
  readonly #pacer: Pacer;
  #next: string | null = null;
  #state: 'idle' | 'waiting' | 'reading' = 'idle';
  #isStale = false;
  #isStopped = false;

  constructor(
    read: Read<T>,
    { keyOf, pacer }: { readonly keyOf: (row: T) => string | number; readonly pacer: Pacer },
  ) {
    this.#read = read;
    this.keyOf = keyOf;
    this.#pacer = pacer;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Reads again what has been read. */
  refresh(): void {
    if (this.#state !== 'idle') {
      this.#isStale = true;
      return;
    }
    const isFirst = this.state.value.rows === null;
    this.#state = 'waiting';
    void (isFirst ? this.#refresh() : this.#pacer.run(() => this.#refresh()));
  }

  /** Reads the next page, if there is one. */
  more(): void {
    if (this.#next !== null && this.#state !== 'reading') void this.#more(this.#next);
  }

  async #refresh(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#state === 'reading') {
      // The next page is being read: once it has come.
      this.#isStale = true;
      return;
    }
    const before = this.state.value.rows ?? [];
    const wanted = Math.max(1, Math.min(before.length, REFRESHED));
    await this.#reading(async () => {
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
      this.#set({ rows, size, error: null });
    });
    this.#ended();
  }

  async #more(cursor: string): Promise<void> {
    await this.#reading(async () => {
      const page = await this.#read({ cursor, limit: MOST_AT_ONCE });
      this.#next = page.next;
      this.#set({ rows: [...(this.state.value.rows ?? []), ...page.rows], size: page.size, error: null });
    });
    this.#ended();
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    this.#state = 'reading';
    try {
      await work();
    } catch (error) {
      // A simulator that does not answer is no matter of this list: the page says so at its top.
      if ((error as { status?: number }).status === 0) return;
      const text = error instanceof Error ? error.message : 'The list cannot be read.';
      this.#set({ ...this.state.value, error: text });
    }
  }

  #ended(): void {
    this.#state = 'idle';
    if (!this.#isStale || this.#isStopped) return;
    this.#isStale = false;
    this.refresh();
  }

  #set(state: State<T>): void {
    if (!this.#isStopped) this.state.value = state;
  }
}
