import { createParser } from 'eventsource-parser';
import { type Control, Refused } from './client.js';
import type { LoggedEvent } from './events.js';
import type { EventFeed } from './feed.js';

export type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'gone';

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

interface Parts {
  readonly control: Control;
  readonly feed: EventFeed;
  readonly onState: (state: Connection) => void;
  /** Called once for each frame with events. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void;
}

/**
 * Follows the events of a world while the page is shown, and reconnects when the connection ends. Events are polled while other pages use all
 * streams of the origin, and in browsers without locks (plain HTTP beyond loopback).
 */
export class StreamReader {
  readonly #parts: Parts;
  #queue: LoggedEvent[] = [];
  /** The number of the last event that was queued. */
  #last = 0;
  #isScheduled = false;
  #wake: () => void = () => undefined;
  #stop = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.onState('connecting');
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

  async #follow(shown: AbortSignal): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!shown.aborted) {
      const stop = new AbortController();
      this.#stop = stop;
      let state: Connection = 'lost';
      try {
        this.#queue = [];
        this.#last = await this.#inTime(() => this.#parts.feed.resume(stop.signal));
        await this.#catchUp(stop.signal);
        this.#parts.onState('live');
        waitMs = FIRST_WAIT_MS;
        await this.#readUntilEnd(stop.signal);
      } catch (error) {
        state = stateAfter(error);
      }
      if (shown.aborted) return;
      stop.abort();
      this.#parts.onState(state);
      await this.#wait(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  /** Reads the event stream until it ends. Polls while there is none for this page. */
  async #readUntilEnd(signal: AbortSignal): Promise<void> {
    const locks = navigator.locks as LockManager | undefined;
    for (;;) {
      for (let slot = 0; slot < MOST_STREAMS; slot += 1) {
        const hasEnded = await locks?.request(`inspector stream ${slot}`, { ifAvailable: true }, (lock) =>
          lock === null ? false : this.#readStream(signal),
        );
        if (hasEnded === true) return;
      }
      await this.#wait(POLL_MS);
      await this.#catchUp(signal);
    }
  }

  /** Resolves when the stream ends; at once, to false, when the simulator has too many of them. */
  async #readStream(signal: AbortSignal): Promise<boolean> {
    const { control, feed } = this.#parts;
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'gap') feed.missed.value += (JSON.parse(data) as { missed: number }).missed;
        else this.#add([JSON.parse(data) as LoggedEvent]);
      },
    });
    try {
      const body = await this.#inTime(() => control.stream(this.#last, signal));
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

  /** Reads all events after the last one that was queued. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { events, isWhole } = await this.#inTime(() => this.#parts.feed.after(this.#last, signal));
      this.#add(events);
      if (isWhole) return;
    }
  }

  #add(events: readonly LoggedEvent[]): void {
    this.#queue.push(...events.filter(({ seq }) => seq > this.#last));
    this.#last = Math.max(this.#last, events.at(-1)?.seq ?? 0);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      const events = this.#queue.splice(0, MOST_PER_FRAME);
      this.#parts.feed.append(events);
      this.#parts.onEvents(events);
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

function stateAfter(error: unknown): Connection {
  if (!(error instanceof Refused)) return 'lost';
  if (error.status === 401) return 'locked';
  return error.code === 'fork_not_found' ? 'gone' : 'lost';
}
