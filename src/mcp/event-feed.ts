import type { Backend } from './backend.js';
import type { LoggedEvent } from './resources.js';

/** How long changes are collected before they are announced. */
const COLLECT_MS = 50;

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<LoggedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(rest.slice(0, end))?.[1];
      rest = rest.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as LoggedEvent;
    }
  }
}

/** Announces which resources have changed, by the event log, which it reads only while there are listeners. */
export class EventFeed {
  readonly #backend: Backend;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #reading: AbortController | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /**
   * Calls `changed` with each URI that `urisOf` names for new events, once for events close together; returns a function that ends it.
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

  /** Stops reading. */
  close(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  #read(): AbortController {
    const reading = new AbortController();
    const follow = async () => {
      const { body } = await this.#backend.eventStream(reading.signal);
      if (body === null) return;
      for await (const event of eventsIn(body)) for (const listener of this.#listeners) listener(event);
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
