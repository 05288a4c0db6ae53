import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ControlClient } from '../../api/control/client.js';
import { notASimulator, remoteFailure } from '../remote/with-control-client.js';
import { CONTROL_PATH } from '../../api/control/admission.js';
import { RemoteRefusal, UsageError } from '../usage.js';
import { printable } from '../../core/printable.js';
import { type LoggedEvent, isEvent } from './event.js';
import { type Following, eventsOfFile } from './file.js';

export interface SourceOptions extends Following {
  readonly controlToken?: string | undefined;
}

const PAGE = 1_000;

/** The events in a response. Throws RemoteRefusal if the server is not a simulator. */
function checked(events: unknown, url: string): readonly LoggedEvent[] {
  if (!Array.isArray(events) || !events.every(isEvent)) throw notASimulator(url);
  return events;
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
    if (!response.ok) {
      const { code, error } = (await response.json()) as { code?: unknown; error?: unknown };
      throw new RemoteRefusal(`${String(error)} (${String(code)})`);
    }
    if (response.body === null) return;
    const messages = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of messages) {
      if (event === 'gap')
        process.stderr.write(`sim: missed events: ${printable(data.replaceAll('"', ''))}\n`);
      else yield* checked([JSON.parse(data)], url);
    }
  } catch (error) {
    // The stream ends when the user or the simulator ends it.
    if (following?.aborted !== true && !(error instanceof TypeError)) throw error;
  }
}

async function* fromUrl(url: string, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL such as http://127.0.0.1:4020`);
  const control = new ControlClient({ origin: url, token: options.controlToken });
  let after = 0;
  try {
    for (let next: number | null = 0; next !== null;) {
      const page: Partial<Awaited<ReturnType<typeof control.do<'events'>>>> | null = await control.do(
        'events',
        { query: { after: next, limit: PAGE } },
      );
      for (const event of checked(page?.events, url)) {
        after = event.seq;
        yield event;
      }
      next = page?.next ?? null;
    }
  } catch (error) {
    throw remoteFailure(url, error);
  }
  options.onPresent?.();
  if (options.following !== null) yield* followed(url, after, options);
}

/** The events of a file or the events that a running simulator retains; when following, then new events. */
export function eventsOf(source: string, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  return /^https?:\/\//.test(source) ? fromUrl(source, options) : eventsOfFile(source, options);
}
