import { Hono } from 'hono';
import { inspectorFiles } from '../../api/inspector-files.js';
import { CONTROL_PATH, controlObjection, inspectorObjection } from '../../api/control/admission.js';
import { textAnswer } from '../../api/http/answers.js';
import { NO_STORE } from '../../api/headers.js';
import { type RunningServer, listen } from '../../api/http/server.js';
import type { Problem } from '../../api/origin-guard.js';
import type { RequestEvent } from '../../runtime/events/event.js';
import type { LoggedEvent } from '../log/event.js';
import { eventsOfFile } from '../log/file.js';

const HOST = '127.0.0.1';
const PAGE = 100;

const ONLY_EVENTS: Problem = {
  status: 409,
  code: 'only_events',
  message: 'This is a file of events, which has no world; open a state file or a recording for that.',
};

function refused(_: unknown, { status, code, message }: Problem): Response {
  return textAnswer(JSON.stringify({ error: message, code, details: {}, requestId: null }), status, '-');
}

/** What a line says of an answered request. */
type AnsweredRequest = Pick<RequestEvent, 'status' | 'code' | 'message'>;

/** The events of a file as the control interface gives those of a world; all else is refused. */
function readOnly(events: readonly LoggedEvent[]): Hono {
  const [oldest, last] = [events[0]?.seq ?? 1, events.at(-1)?.seq ?? 0];
  const after = (seq: number) => events.filter((event) => event.seq > seq);
  const app = new Hono().basePath(CONTROL_PATH);
  app.get('/time', (context) =>
    context.json({ now: events.at(-1)?.at ?? new Date(0).toISOString(), mode: 'frozen', factor: 0 }),
  );
  app.get('/events', (context) => {
    const { after: from = 0, limit = PAGE, ...filter } = context.req.query();
    const found = after(Number(from)).filter((event) =>
      Object.entries(filter).every(([name, value]) => event[name] === value),
    );
    const page = found.slice(0, Number(limit));
    const next = found.length > page.length ? (page.at(-1)?.seq ?? null) : null;
    return context.json({ events: page, next, oldest, last });
  });
  app.get('/events/stream', (context) => {
    const lines = after(Number(context.req.query('after') ?? 0)).map(
      (event) => `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    // It stays open: more never comes, but an end would mean that the simulator has stopped.
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(`: events of a file\n\n${lines.join('')}`)),
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream', ...NO_STORE } });
  });
  app.get('/explain/:id', (context) => {
    const requestId = context.req.param('id');
    const own = events.filter((event) => event.requestId === requestId);
    if (own.length === 0)
      return refused(null, { ...ONLY_EVENTS, status: 404, message: `The file has no request ${requestId}.` });
    const { status, code, message } = {
      ...own.find(({ kind }) => kind === 'request'),
    } as Partial<AnsweredRequest>;
    const text = [status ?? 'no answer', code, message]
      .filter((part) => part !== null && part !== undefined)
      .join(' ');
    return context.json({ requestId, text, rule: null, answer: null, events: own });
  });
  app.all('*', () => refused(null, ONLY_EVENTS));
  return app;
}

/** The events of the last run in a file, to which every run appends its own. */
async function lastRunIn(path: string): Promise<LoggedEvent[]> {
  let events: LoggedEvent[] = [];
  for await (const event of eventsOfFile(path, { following: null })) {
    if (event.seq <= (events.at(-1)?.seq ?? 0)) events = [];
    events.push(event);
  }
  return events;
}

/** Reads a file of events; gives what serves them to the inspector, on loopback. Throws UsageError for a damaged one. */
export async function eventFileServer(path: string): Promise<(port: number) => Promise<RunningServer>> {
  const app = readOnly(await lastRunIn(path));
  const files = inspectorFiles();
  const server = { host: HOST, token: null };
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const isControl = pathname.startsWith(CONTROL_PATH);
    const objection = (isControl ? controlObjection : inspectorObjection)(request, server);
    if (objection !== null) return refused(request, objection);
    if (isControl) return app.fetch(request);
    return files?.at(pathname) ?? refused(request, { ...ONLY_EVENTS, status: 404 });
  };
  return (port) => listen(answer, { host: HOST, port, allowHosts: [], refused });
}
