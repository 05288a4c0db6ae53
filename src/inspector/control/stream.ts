import type { Control } from './client.js';
import { Refused } from './client.js';
import type { LoggedEvent } from './events.js';
import type { EventFeed } from './feed.js';
import { MessageParser } from './sse.js';

/** What becomes of the connection. */
export type Connection = 'connecting' | 'live' | 'lost' | 'locked' | 'gone';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;
/** Events that are taken in one frame, so that a burst does not block the page. */
const MOST_PER_FRAME = 1_000;
const HIDDEN_MS = 500;

/** Runs at the next frame; of a page that is not seen, half a second later. */
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

/** Follows the event stream, and connects again when it ends. */
export class StreamReader {
  readonly #parts: Parts;
  readonly #queue: string[] = [];
  #isScheduled = false;
  #wake: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Connects, now rather than after the wait. */
  retry(): void {
    this.#wake?.();
  }

  async follow(): Promise<never> {
    let waitMs = FIRST_WAIT_MS;
    for (;;) {
      try {
        await this.#readUntilEnd(() => {
          waitMs = FIRST_WAIT_MS;
        });
        this.#parts.onState('lost');
      } catch (error) {
        this.#parts.onState(stateAfter(error));
      }
      await this.#wait(waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  async #readUntilEnd(onOpen: () => void): Promise<void> {
    const { control, feed, onState } = this.#parts;
    const stop = new AbortController();
    const body = await control.stream(await feed.resume(), stop.signal);
    onState('live');
    onOpen();
    const parser = new MessageParser();
    const reader = body
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { event, data } of parser.take(value)) {
        if (event === 'gap') feed.missed.value += (JSON.parse(data) as { missed: number }).missed;
        else this.#queue.push(data);
      }
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    nextFrame(() => {
      this.#isScheduled = false;
      const events = this.#queue.splice(0, MOST_PER_FRAME).map((line) => JSON.parse(line) as LoggedEvent);
      this.#parts.feed.append(events);
      this.#parts.onEvents(events);
      this.#schedule();
    });
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
