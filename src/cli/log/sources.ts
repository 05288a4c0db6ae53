import { createReadStream, statSync, watch } from 'node:fs';
import { once } from 'node:events';
import { ControlClient, ControlError } from '../../control/client.js';
import { CONTROL_PATH } from '../../control/path.js';
import { RemoteRefusal, UsageError } from '../usage.js';
import type { LoggedEvent } from './filter.js';

/** Where events come from, and how far. */
export interface SourceOptions {
  readonly controlToken?: string | undefined;
  /** Ends what is followed; null when only what is there is wanted. */
  readonly following: AbortSignal | null;
}

const PAGE = 1_000;

/** An event, or wrong usage for a line that is none. */
function eventOf(line: string, path: string, number: number): LoggedEvent {
  let event: Partial<LoggedEvent> | null = null;
  try {
    event = JSON.parse(line) as Partial<LoggedEvent> | null;
  } catch {
    // Told below.
  }
  if (typeof event?.seq !== 'number' || typeof event.kind !== 'string' || typeof event.at !== 'string')
    throw new UsageError(`${path}: line ${number} is no event; give a file of sim start --log`);
  return event as LoggedEvent;
}

/** Lines of a file from a place on, as far as they are whole; gives where the next one begins. */
async function* linesFrom(path: string, from: number): AsyncGenerator<string, number> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for await (const chunk of createReadStream(path, { start: from })) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let end = rest.indexOf(0x0a);
    let begin = 0;
    for (; end >= 0; end = rest.indexOf(0x0a, begin)) {
      yield rest.toString('utf8', begin, end);
      begin = end + 1;
    }
    at += begin;
    rest = rest.subarray(begin);
  }
  return at;
}

async function* fromFile(path: string, { following }: SourceOptions): AsyncGenerator<LoggedEvent> {
  try {
    statSync(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  // It is watched from before it is read, so that nothing is missed in between.
  const watcher = following === null ? null : watch(path);
  let number = 0;
  let at = 0;
  try {
    for (;;) {
      const changed =
        watcher === null || following === null ? null : once(watcher, 'change', { signal: following });
      changed?.catch(() => undefined);
      const lines = linesFrom(path, at);
      let next = await lines.next();
      for (; next.done !== true; next = await lines.next()) {
        number += 1;
        if (next.value !== '') yield eventOf(next.value, path, number);
      }
      at = next.value;
      if (changed === null || following?.aborted === true) return;
      try {
        await changed;
      } catch {
        return;
      }
    }
  } finally {
    watcher?.close();
  }
}

/** The data of server-sent events. */
async function* dataOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const part = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield { event: /^event: (.*)$/m.exec(part)?.[1] ?? '', data };
    }
  }
}

async function* followed(url: string, after: number, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  const { following, controlToken } = options;
  const { origin, pathname } = new URL(url);
  const mount = /^\/w\/[^/]+/.exec(pathname)?.[0] ?? '';
  try {
    const response = await fetch(`${origin}${mount}${CONTROL_PATH}/events/stream?after=${after}`, {
      ...(following === null ? {} : { signal: following }),
      headers: controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` },
    });
    if (response.body === null) return;
    for await (const { event, data } of dataOf(response.body)) {
      if (event === 'gap') process.stderr.write(`sim: ${data.replaceAll('"', '')} events were missed\n`);
      else yield JSON.parse(data) as LoggedEvent;
    }
  } catch (error) {
    // Whoever follows ends it, or the simulator does.
    if (following?.aborted !== true && !(error instanceof TypeError)) throw error;
  }
}

async function* fromUrl(url: string, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  let after = 0;
  try {
    const control = new ControlClient({ origin: url, token: options.controlToken });
    for (let next: number | null = 0; next !== null;) {
      const page: Awaited<ReturnType<typeof control.do<'events'>>> = await control.do('events', {
        query: { after: next, limit: PAGE },
      });
      for (const event of page.events as LoggedEvent[]) {
        after = event.seq;
        yield event;
      }
      ({ next } = page);
    }
  } catch (error) {
    if (error instanceof ControlError) throw new RemoteRefusal(`${error.message} (${error.code})`);
    if (error instanceof TypeError) throw new RemoteRefusal(`nobody answers at ${url}`);
    throw error;
  }
  if (options.following !== null) yield* followed(url, after, options);
}

/** The events of a file, or those that a running simulator remembers; then those to come, when they are followed. */
export function eventsOf(source: string, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  return /^https?:\/\//.test(source) ? fromUrl(source, options) : fromFile(source, options);
}
