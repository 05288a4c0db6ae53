import { type EventSourceMessage, createParser } from 'eventsource-parser';
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
const HIDDEN_MS = 500;

/** Runs at the next frame, or half a second later on a hidden page. */
function nextFrame(work: () => void): void {
  if (document.hidden) setTimeout(work, HIDDEN_MS);
  else requestAnimationFrame(work);
}

interface Parts {
  readonly control: Control;
  readonly feed: EventFeed;
  readonly onState: (state: Connection) => void;
  /** Called once for each frame with events. */
  readonly onEvents: (events: readonly LoggedEvent[]) => void;
}

/** A message from the page that reads a world's events to the others: events after one that they have read, or the end of the stream. */
type Shared = { readonly after: number; readonly last: number; readonly lines: readonly string[] } | 'ended';

/**
 * Follows the events of a world, and reconnects when the connection ends. One page of a world reads the event stream and shares it with the
 * others; when it closes, another page takes over. Events are polled when the browser has no locks (plain HTTP beyond loopback), and while
 * other worlds use all streams of the origin. A page in the browser's back/forward cache has no connection.
 */
export class StreamReader {
  readonly #parts: Parts;
  readonly #name: string;
  #queue: LoggedEvent[] = [];
  /** The number of the last event that was queued. */
  #last = 0;
  /** The number of the last event that another page has read. */
  #shared = 0;
  #isCatchingUp = false;
  #isScheduled = false;
  #wake: () => void = () => undefined;
  #stop = new AbortController();
  #channel: BroadcastChannel | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#name = `inspector${parts.control.mount}`;
  }

  /** Follows the events while the page is shown. */
  start(): void {
    let shown = new AbortController();
    void this.#follow(shown.signal);
    addEventListener('pagehide', () => {
      shown.abort();
      this.#stop.abort();
      this.#channel?.close();
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      shown = new AbortController();
      this.#parts.onState('connecting');
      void this.#follow(shown.signal);
    });
  }

  retry(): void {
    this.#wake();
  }

  async #follow(shown: AbortSignal): Promise<void> {
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => this.#receive(data));
    let waitMs = FIRST_WAIT_MS;
    while (!shown.aborted) {
      const stop = new AbortController();
      this.#stop = stop;
      let state: Connection = 'lost';
      try {
        await this.#join(stop.signal);
        waitMs = FIRST_WAIT_MS;
        await this.#lead(stop.signal);
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

  /** Reads the events up to now. */
  async #join(signal: AbortSignal): Promise<void> {
    this.#isCatchingUp = true;
    this.#queue = [];
    this.#shared = 0;
    this.#last = await this.#inTime(() => this.#parts.feed.resume(signal));
    await this.#catchUp(signal);
    this.#parts.onState('live');
  }

  /** Resolves when this page no longer follows the events. It reads them for all pages once no other page does. */
  async #lead(signal: AbortSignal): Promise<void> {
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined) for (;;) await this.#poll(signal);
    await locks.request(this.#name, { signal }, async () => {
      for (let slot = 0; ; slot = (slot + 1) % (MOST_STREAMS + 1)) {
        if (slot === MOST_STREAMS) await this.#poll(signal);
        else if (
          await locks.request(`inspector stream ${slot}`, { ifAvailable: true }, (lock) =>
            lock === null ? false : this.#readUntilEnd(signal),
          )
        )
          return;
      }
    });
  }

  /** Reads and shares the stream; false when the simulator has too many of them. */
  async #readUntilEnd(signal: AbortSignal): Promise<boolean> {
    try {
      const body = await this.#inTime(() => this.#parts.control.stream(this.#last, signal));
      let messages: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (message) => messages.push(message) });
      const reader = body
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
        .getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        messages = [];
        parser.feed(value);
        for (const { event, data } of messages)
          if (event === 'gap')
            this.#parts.feed.missed.value += (JSON.parse(data) as { missed: number }).missed;
        this.#share(messages.filter(({ event }) => event !== 'gap').map(({ data }) => data));
      }
    } catch (error) {
      if (error instanceof Refused && error.code === 'too_many_event_streams') return false;
      if (signal.aborted) throw error;
    }
    this.#channel?.postMessage('ended' satisfies Shared);
    return true;
  }

  /** Reads the events since the last reading, then releases the lock to other pages. */
  async #poll(signal: AbortSignal): Promise<void> {
    await this.#wait(POLL_MS);
    signal.throwIfAborted();
    await this.#catchUp(signal);
    this.#share([]);
  }

  #share(lines: readonly string[]): void {
    const after = this.#last;
    this.#add(lines.map((line) => JSON.parse(line) as LoggedEvent));
    this.#channel?.postMessage({ after, last: this.#last, lines } satisfies Shared);
  }

  #receive(shared: Shared): void {
    if (shared === 'ended') {
      this.#stop.abort();
      return;
    }
    const { after, last, lines } = shared;
    this.#shared = last;
    if (this.#isCatchingUp) return;
    if (after <= this.#last) this.#add(lines.map((line) => JSON.parse(line) as LoggedEvent));
    else this.#catchUp(this.#stop.signal).catch(() => this.#stop.abort());
  }

  /** Reads all events after the last one that was queued. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    this.#isCatchingUp = true;
    try {
      for (;;) {
        const { events, isWhole } = await this.#inTime(() => this.#parts.feed.after(this.#last, signal));
        this.#add(events);
        if (isWhole && (this.#last >= this.#shared || events.length === 0)) return;
      }
    } finally {
      this.#isCatchingUp = false;
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
    nextFrame(() => {
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
