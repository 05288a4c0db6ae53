import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ControlClient } from '../../api/control/client.js';
import { notASimulator, remoteFailure } from '../remote/with-control-client.js';
import { UsageError } from '../usage.js';
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

async function* followed(
  control: ControlClient,
  { url, after, following }: { url: string; after: number; following: AbortSignal },
): AsyncGenerator<LoggedEvent> {
  try {
    const { body } = await control.eventStream(following, after);
    if (body === null) return;
    const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of messages) {
      if (event === 'gap')
        process.stderr.write(`sim: missed events: ${printable(data.replaceAll('"', ''))}\n`);
      else yield* checked([JSON.parse(data)], url);
    }
  } catch (error) {
    // The stream ends when the user or the simulator ends it.
    if (!following.aborted && !(error instanceof TypeError)) throw remoteFailure(url, error);
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
  const { following, onPresent } = options;
  onPresent?.();
  if (following !== null) yield* followed(control, { url, after, following });
}

/** The events of a file or the events that a running simulator retains; when following, then new events. */
export function eventsOf(source: string, options: SourceOptions): AsyncGenerator<LoggedEvent> {
  return /^https?:\/\//.test(source) ? fromUrl(source, options) : eventsOfFile(source, options);
}
