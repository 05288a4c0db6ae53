import { signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import { type Control, Refused } from './client.js';
import { type EventRow, type LoggedEvent, rowOf } from './events.js';

/** The most events that the page holds; the oldest are dropped. */
const MOST_ROWS = 100_000;
/** The number of events read when the page opens, and for each page of others. */
const PAGE = 1_000;
/** The pause between two pages of older events. */
const PAUSE_MS = 50;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** The time in milliseconds after which the page reports that the simulator does not respond. */
const RESPONSE_MS = 8_000;
/** The interval at which pages without a stream read events. */
const POLL_MS = 1_000;
/** The most streams of all pages of an origin: browsers open six connections to an origin, and commands need some. */
const MOST_STREAMS = 3;
/** The most events processed in one frame, so that a burst does not block the page. */
const MOST_PER_FRAME = 1_000;

interface Listeners {
  /** Called when the page has caught up with the world, and when the connection has ended. */
  readonly onState: (state: 'live' | 'lost') => void;
  /** Called once for each frame with new events, except those that had occurred before the page was connected. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void;
}

/**
 * The latest events of the world, oldest first, in a bounded window. The page follows them while it is shown, and reconnects when the connection
 * ends. Events are polled while other pages use all streams of the origin, and in browsers without locks (plain HTTP beyond loopback).
 */
export class EventFeed {
  readonly #control: Control;
  readonly #listeners: Listeners;
  #rows: EventRow[] = [];
  /** The number of the last event before the window began. */
  #startedAt = 0;
  /** The number of the oldest event that the simulator still has. */
  #oldest = 1;
  #queue: LoggedEvent[] = [];
  /** The number of the last event that was queued. */
  #queued = 0;
  #isScheduled = false;
  #wake: () => void = () => undefined;
  #stop = new AbortController();
  /** Grows when the rows have changed. */
  readonly version = signal(0);
  /** The number of events that the page could not read, because it was too slow. */
  readonly missed = signal(0);

  constructor(control: Control, listeners: Listeners) {
    this.#control = control;
    this.#listeners = listeners;
  }

  get rows(): readonly EventRow[] {
    return this.#rows;
  }

  /** The number of the last event; 0 when there is none. */
  get last(): number {
    return this.#rows.at(-1)?.seq ?? 0;
  }

  start(): void {
    let shown = new AbortController();
    const follow = () => {
      shown.abort();
      this.#stop.abort();
      if (document.hidden) return;
      shown = new AbortController();
      void this.#follow(shown.signal);
    };
    document.addEventListener('visibilitychange', follow);
    follow();
  }

  retry(): void {
    this.#wake();
  }

  /** Reads the events before the window by page, until the window is full or begins with the oldest event. */
  async readOlder(stop: AbortSignal): Promise<void> {
    for (;;) {
      const first = this.#rows[0]?.seq ?? 0;
      if (stop.aborted || this.#rows.length >= MOST_ROWS || first <= this.#oldest) return;
      const after = Math.max(this.#oldest - 1, first - 1 - PAGE);
      const { oldest, events } = await this.#control.do('events', {
        query: { after, limit: PAGE },
        signal: stop,
      });
      this.#oldest = oldest;
      const older = events.filter(({ seq }) => seq < first);
      // Otherwise the window has begun anew, or was moved.
      if (this.#rows[0]?.seq === first) this.#rows = [...older.map(rowOf), ...this.#rows];
      this.version.value += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #follow(shown: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!shown.aborted) {
      const stop = new AbortController();
      this.#stop = stop;
      try {
        this.#queue = [];
        this.#queued = await this.#inTime(() => this.#resume(stop.signal));
        await this.#catchUp(stop.signal);
        this.#listeners.onState('live');
        waitMs = FIRST_WAIT_MS;
        await this.#readUntilEnd(stop.signal);
      } catch {
        // The session knows why, if the simulator has refused.
      }
      if (shown.aborted) return;
      stop.abort();
      this.#listeners.onState('lost');
      await this.#wait(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  /**
   * The event after which to continue. Clears the window when its last event is not in the simulator's log: the simulator has restarted, or
   * no longer has the event.
   */
  async #resume(stop: AbortSignal): Promise<number> {
    const known = this.#rows.at(-1);
    const query = { after: Math.max(0, this.last - 1), limit: 1 };
    const { events, oldest, last } = await this.#control.do('events', { query, signal: stop });
    this.#oldest = oldest;
    if (known !== undefined) {
      const [same] = events;
      if (same !== undefined && JSON.stringify(rowOf(same)) === JSON.stringify(known)) return known.seq;
      this.#rows = [];
      this.missed.value = 0;
      this.version.value += 1;
    }
    this.#startedAt = last;
    return Math.max(oldest - 1, last - PAGE, 0);
  }

  /** Reads the event stream until it ends. Polls while there is none for this page. */
  async #readUntilEnd(stop: AbortSignal): Promise<void> {
    const locks = navigator.locks as LockManager | undefined;
    for (;;) {
      for (let slot = 0; slot < MOST_STREAMS; slot += 1) {
        const hasEnded = await locks?.request(`inspector stream ${slot}`, { ifAvailable: true }, (lock) =>
          lock === null ? false : this.#readStream(stop),
        );
        if (hasEnded === true) return;
      }
      await this.#wait(POLL_MS);
      await this.#catchUp(stop);
    }
  }

  /** Resolves when the stream ends; at once, to false, when the simulator has too many of them. */
  async #readStream(stop: AbortSignal): Promise<boolean> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'gap') this.missed.value += (JSON.parse(data) as { missed: number | null }).missed ?? 0;
        else this.#add([JSON.parse(data) as LoggedEvent]);
      },
    });
    try {
      const body = await this.#inTime(() => this.#control.stream(this.#queued, stop));
      const reader = body
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
        .getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return true;
        parser.feed(value);
      }
    } catch (error) {
      if (error instanceof Refused && error.code === 'too_many_event_streams') return false;
      throw error;
    }
  }

  /** Reads the events after the last one that was queued; counts those that the simulator no longer has. */
  async #catchUp(stop: AbortSignal): Promise<void> {
    for (;;) {
      const query = { after: this.#queued, limit: PAGE };
      const page = await this.#inTime(() => this.#control.do('events', { query, signal: stop }));
      this.missed.value += Math.max(0, page.oldest - 1 - this.#queued);
      this.#add(page.events);
      if (page.next === null) return;
    }
  }

  #add(events: readonly LoggedEvent[]): void {
    this.#queue.push(...events.filter(({ seq }) => seq > this.#queued));
    this.#queued = Math.max(this.#queued, events.at(-1)?.seq ?? 0);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      const events = this.#queue.splice(0, MOST_PER_FRAME);
      for (const event of events) if (event.seq > this.last) this.#rows.push(rowOf(event));
      // In steps, so that not every event moves all others.
      if (this.#rows.length > MOST_ROWS * 1.1) this.#rows = this.#rows.slice(-MOST_ROWS);
      this.version.value += 1;
      const fresh = events.filter(({ seq }) => seq > this.#startedAt);
      if (fresh.length > 0) this.#listeners.onEvents(fresh);
      this.#schedule();
    });
  }

  /** Ends the connection when the simulator does not respond in time. */
  async #inTime<T>(work: () => Promise<T>): Promise<T> {
    const stop = this.#stop;
    const timer = setTimeout(() => stop.abort(), RESPONSE_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
