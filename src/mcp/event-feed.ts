import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Backend } from './backend.js';
import type { LoggedEvent } from './resources.js';

/** How long changes are collected before they are announced. */
const COLLECT_MS = 50;

/** The events of a world from now on, with one of the kind `gap` for events that were missed, until `signal` is aborted. Rejects when the stream breaks off. */
export async function* eventsOf(backend: Backend, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
  const { body } = await backend.control.eventStream(signal);
  if (body === null) return;
  // A stream in this process does not hear of the signal of its request.
  const messages = body
    .pipeThrough(new TextDecoderStream(), { signal })
    .pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of messages)
    yield event === 'gap' ? { kind: 'gap', at: '' } : (JSON.parse(data) as LoggedEvent);
}

/** Announces which resources have changed. It reads the event log only while there are listeners. */
export class EventFeed {
  readonly #backend: Backend;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #reading: AbortController | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /**
   * Calls `changed` with each URI that `urisOf` names for new events, once for events close together; returns a function that ends this.
   */
  listen(urisOf: (event: LoggedEvent) => readonly string[], changed: (uri: string) => void): () => void {
    const uris = new Set<string>();
    let timer: NodeJS.Timeout | null = null;
    const listener = (event: LoggedEvent) => {
      for (const uri of urisOf(event)) uris.add(uri);
      if (uris.size === 0 || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        const all = [...uris];
        uris.clear();
        for (const uri of all) changed(uri);
      }, COLLECT_MS);
      timer.unref();
    };
    this.#listeners.add(listener);
    this.#reading ??= this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (timer !== null) clearTimeout(timer);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  #read(): AbortController {
    const reading = new AbortController();
    const follow = async () => {
      for await (const event of eventsOf(this.#backend, reading.signal))
        for (const listener of this.#listeners) listener(event);
    };
    // It ends when the world is closed, or cannot be read when all streams are taken: changes are not announced then.
    void follow()
      .catch(() => undefined)
      .finally(() => {
        if (this.#reading === reading) this.#reading = null;
      });
    return reading;
  }
}
