import { setMaxListeners } from 'node:events';
import { setImmediate as othersTurn, setTimeout as sleep } from 'node:timers/promises';
import { eventJson } from './event.js';
import type { EventLog } from './log.js';

const HEARTBEAT_MS = 15_000;

/** The least time between two chunks: each costs the process as much as the events of many requests. */
const CHUNK_EVERY_MS = 20;

/** Characters of events per chunk; also the maximum buffered for a stalled reader. */
const CHUNK = 65_536;

/** A typical length of an event; when enough to fill a chunk are pending, the chunk is sent at once. */
const EVENT_LENGTH = 400;

/** The number of missed events is null where it is unknown. */
function gap(missed: number | null): string {
  return `event: gap\ndata: {"missed":${missed}}\n\n`;
}

/**
 * The log as server-sent events, after the event numbered `after`. A slow reader blocks nothing: events
 * evicted before it reads on are reported as a `gap`. A number that the log has not reached is of an earlier log, as before a restart: a
 * `gap`, and all events of this one. It ends when the signal is aborted.
 */
function eventStream(
  log: EventLog,
  { after, end, onEnd }: { readonly after: number; readonly end: AbortSignal; readonly onEnd: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const isOfEarlierLog = after > log.last;
  let sent = isOfEarlierLog ? log.oldest - 1 : after;
  let chunkMs = Number.NEGATIVE_INFINITY;
  let stop: () => void = () => undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let wake: (() => void) | null = null;
  const next = (): string => {
    if (sent + 1 < log.oldest) {
      const missed = log.oldest - 1 - sent;
      sent = log.oldest - 1;
      return gap(missed);
    }
    sent += 1;
    const event = log.at(sent);
    return event === null
      ? ''
      : `id: ${sent}\nevent: ${event.body.kind}\ndata: ${JSON.stringify(eventJson(event))}\n\n`;
  };
  const release = () => {
    stop();
    clearInterval(heartbeat);
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = () => {
          release();
          controller.close();
          wake?.();
        };
        end.addEventListener('abort', close, { once: true });
        controller.enqueue(encoder.encode(': events of this world\n\n'));
        if (isOfEarlierLog) controller.enqueue(encoder.encode(gap(null)));
        const unsubscribe = log.onAppend(() => wake?.());
        stop = () => {
          unsubscribe();
          end.removeEventListener('abort', close);
        };
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
        }, HEARTBEAT_MS);
        heartbeat.unref();
      },
      async pull(controller) {
        while (sent >= log.last) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = null;
          // Lets events of the same turn share a chunk.
          await othersTurn();
          if (end.aborted) return;
        }
        const restMs = chunkMs + CHUNK_EVERY_MS - performance.now();
        if (restMs > 0 && log.last - sent < CHUNK / EVENT_LENGTH)
          await sleep(restMs, undefined, { ref: false });
        if (end.aborted) return;
        chunkMs = performance.now();
        let text = '';
        while (sent < log.last && text.length < CHUNK) text += next();
        controller.enqueue(encoder.encode(text));
      },
      cancel: release,
    },
    { highWaterMark: 1 },
  );
}

/** The open event streams of a log: each costs work per event, even when unread. */
export class EventStreams {
  readonly #log: EventLog;
  readonly #max: number;
  readonly #end = new AbortController();
  #open = 0;

  constructor(log: EventLog, max: number) {
    this.#log = log;
    this.#max = max;
    // Each stream waits for the end; Node takes more than ten for a leak, and warns.
    setMaxListeners(max, this.#end.signal);
  }

  get count(): number {
    return this.#open;
  }

  /** Maximum number of open streams. */
  get max(): number {
    return this.#max;
  }

  /** Opens a stream, which its reader closes by `cancel`; null when the limit is reached. */
  open(after: number): ReadableStream<Uint8Array> | null {
    if (this.#open >= this.#max) return null;
    this.#open += 1;
    const onEnd = () => {
      this.#open -= 1;
    };
    return eventStream(this.#log, { after, end: this.#end.signal, onEnd });
  }

  /** Ends all streams, because the world is being closed. */
  close(): void {
    this.#end.abort();
  }
}
