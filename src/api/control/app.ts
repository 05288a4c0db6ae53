import { parseJson } from '../../core/json.js';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Limits } from '../../core/limits.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import { MAX_TEXT, keptText, shortText } from '../../core/domain/short-text.js';
import { readBody, textOf } from '../../core/request-body.js';
import { refusedValue } from '../../core/suggestion.js';
import { tokenObjection } from './admission.js';
import { bearerChallenge } from '../headers.js';
import type { Problem } from '../origin-guard.js';
import { RangeProblem, problemOf } from './problems.js';
import { COMMANDS, CONTROL_PATH, type Command } from './commands.js';
import {
  LOGGED_ANSWER,
  LOGGED_INPUT,
  PendingRequest,
  type RequestRecord,
} from '../pipeline/pending-request.js';
import { LostAnswer, type RequestPipeline, type RequestWork } from '../pipeline/pipeline.js';
import type { ControlWorld } from './world.js';
import { routeOf } from '../../contract/match-path.js';
import { parseBySchema, queryOf, queryTexts } from '../../contract/parse.js';

export interface ControlOptions {
  readonly world: ControlWorld;
  readonly limits: Limits;
  /** Required of every request unless null. */
  readonly token: string | null;
  /** The prefix of every path. */
  readonly mount: string;
  readonly pipeline: RequestPipeline;
}

/** A command's response, as recorded and as sent. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly response: Response;
}

/** Throws RangeProblem for a body that is too large or incomplete. */
async function readUpTo(maxBytes: number, what: 'body' | 'state', request: Request): Promise<Uint8Array> {
  const body = await readBody(request, maxBytes);
  switch (body.kind) {
    case 'read':
      return body.bytes;
    case 'too_large':
      throw new RangeProblem(413, 'payload_too_large', `The ${what} is larger than ${maxBytes} bytes.`);
    case 'busy':
      throw new RangeProblem(
        503,
        'too_many_bodies',
        'The server is receiving too much data at once. Try again later.',
      );
    case 'broken_off':
      throw new RangeProblem(400, 'invalid_request', `The ${what} ended before it was complete.`);
  }
}

async function jsonOf(command: Command, request: Request, limits: Limits): Promise<unknown> {
  if (command.body === undefined) return undefined;
  const text = textOf(await readUpTo(limits[command.maxBytes ?? 'controlBodyBytes'], 'body', request));
  try {
    return text === '' ? {} : parseJson(text);
  } catch {
    throw new RangeProblem(400, 'invalid_json', 'The body is not valid JSON.');
  }
}

/** The issues of the alternative that a value matches most closely; null when several are equally close. */
function closest(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | null {
  const [first, second] = issue.errors.toSorted((a, b) => a.length - b.length);
  return first === undefined || first.length === second?.length ? null : first;
}

/** `where` names the value when the issue is about all of it. */
function issueText(issue: z.core.$ZodIssue, where: 'body' | 'query'): string {
  const inside = issue.code === 'invalid_union' ? closest(issue) : null;
  if (inside !== null)
    return inside
      .map((each) => issueText({ ...each, path: [...issue.path, ...each.path] }, where))
      .join('; ');
  const name = issue.path.join('.') || where;
  if (issue.code !== 'invalid_value') return `${name}: ${issue.message}`;
  const allowed = issue.values.map(String);
  return `${refusedValue(name, issue.input, allowed)} Allowed: ${allowed.join(', ')}`;
}

const NO_QUERY = z.strictObject({});

function parse<S extends z.ZodType>(schema: S, given: unknown, where: 'body' | 'query'): z.output<S> {
  const parsed = parseBySchema(schema, given);
  if (parsed.success) return parsed.data;
  const texts = parsed.error.issues.map((issue) => issueText(issue, where));
  throw new RangeProblem(400, 'invalid_request', texts.join('; '));
}

const SECRET = /(?<="secretKey":")[^"]+/g;

/** A response. Commands that only inspect the world are not logged. */
function rendered(answer: unknown, record: RequestRecord): Response {
  if (answer instanceof Uint8Array) {
    const headers = { 'content-type': 'application/octet-stream' };
    return new Response(answer as Uint8Array<ArrayBuffer>, { headers });
  }
  const json = JSON.stringify(answer);
  if (record.method !== 'GET') record.answer = shortText(json.replace(SECRET, '<secret>'), LOGGED_ANSWER);
  return new Response(json, { headers: { 'content-type': 'application/json' } });
}

/** The outcome of a command whose client has disconnected. */
const LEFT = { status: null, code: 'caller_left', message: 'The caller disconnected before the response.' };

class ControlInterface {
  readonly hono = new Hono();
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
    const { mount } = options;
    for (const [operation, command] of Object.entries(COMMANDS) as [string, Command][]) {
      const path = mount + CONTROL_PATH + routeOf(command.path);
      this.hono.on(command.method, path, ({ req }) =>
        this.#answer(req.raw, (pending) =>
          this.#enter({ command, operation, id: req.param('id') ?? '' }, req.raw, pending),
        ),
      );
    }
    this.hono.get(`${mount}${CONTROL_PATH}/events/stream`, ({ req }) =>
      this.#answer(
        req.raw,
        () => read(() => null),
        () => streamOf(options.world, req.raw),
      ),
    );
    this.hono.get(`${mount}${CONTROL_PATH}/openapi.json`, ({ req }) =>
      this.#answer(req.raw, () =>
        read(async () => {
          const { controlDocument } = await import('./openapi.js');
          return controlDocument(new URL(req.url).origin + mount);
        }),
      ),
    );
    this.hono.notFound(({ req }) =>
      this.#answer(req.raw, () => {
        throw new RangeProblem(
          404,
          'not_found',
          `There is no ${req.method} ${shortText(req.path)}; see ${mount}${CONTROL_PATH}/openapi.json.`,
        );
      }),
    );
    this.hono.onError((error) => {
      throw error;
    });
  }

  /** Parses a command's request. Throws RangeProblem. */
  async #enter(
    { command, operation, id }: { command: Command; operation: string; id: string },
    request: Request,
    pending: PendingRequest<Answer | null>,
  ): Promise<RequestWork<unknown>> {
    const { world, limits, pipeline } = this.#options;
    const { record } = pending;
    record.operation = operation;
    const { origin, searchParams } = new URL(request.url);
    const given = queryOf(searchParams);
    const json = await jsonOf(command, request, limits);
    const { method } = command;
    // What a page looks at is no part of a session.
    const isLook = method === 'GET' && request.headers.get('sec-fetch-site') === 'same-origin';
    pending.trace = isLook
      ? null
      : (pipeline.recorder.on?.command({
          command: operation,
          method,
          id,
          query: queryTexts(given),
          body: json,
          requestId: record.requestId,
        }) ?? null);
    const query = parse(command.query ?? NO_QUERY, given, 'query');
    const body = command.body === undefined ? undefined : parse(command.body, json, 'body');
    const takesBytes = command.takes === 'bytes';
    const bytes = takesBytes ? await readUpTo(limits.stateBytes, 'state', request) : new Uint8Array(0);
    const isLogged = json !== undefined && JSON.stringify(json).length <= LOGGED_INPUT;
    record.input = isLogged ? json : null;
    const run = (cause: RequestContext) => {
      const input = {
        body,
        bytes,
        query,
        id,
        origin,
        cause,
        // Created on first access.
        get signal() {
          return request.signal;
        },
      };
      return pending.still(() => command.run(world, input));
    };
    return { isRead: method === 'GET', takesLock: command.isGated === true, needsSavings: true, run };
  }

  async #answer(
    request: Request,
    enter: (pending: PendingRequest<Answer | null>) => RequestWork<unknown> | Promise<RequestWork<unknown>>,
    render: (result: unknown, record: RequestRecord) => Response = rendered,
  ): Promise<Response> {
    const { token, pipeline } = this.#options;
    const { method, url } = request;
    const requestId = pipeline.newRequestId('ctl');
    const path = keptText(new URL(url).pathname);
    const pending = new PendingRequest<Answer | null>({ requestId, interface: 'control', method, path });
    const { record } = pending;
    const answer = await pipeline.answer(pending, {
      enter: () => {
        const objection = tokenObjection(request, token);
        if (objection === null) return enter(pending);
        throw new RangeProblem(objection.status, objection.code, objection.message);
      },
      render: (body) => {
        const response = render(body, record);
        record.status = 200;
        return { status: 200, body, response };
      },
      fail: (error) => {
        const isLeft = request.signal.aborted && error === request.signal.reason;
        const { status, code, message } = isLeft ? LEFT : this.#problem(error, path);
        Object.assign(record, { status, code, message });
        if (status === null) return null;
        const body = { error: message, code, requestId };
        const headers = status === 401 ? bearerChallenge(request.headers.has('authorization')) : {};
        return { status, body, response: Response.json(body, { status, headers }) };
      },
    });
    if (answer === null) throw new LostAnswer();
    answer.response.headers.set('x-request-id', requestId);
    return answer.response;
  }

  #problem(error: unknown, path: string): Problem {
    const problem = problemOf(error);
    if (problem !== null) return { ...problem, message: shortText(problem.message, MAX_TEXT) };
    this.#options.pipeline.bug(error, path);
    return {
      status: 500,
      code: 'internal_error',
      message: 'Internal error: this is a bug in the simulator.',
    };
  }
}

/** Work that does not depend on anything that a rollback changes. */
function read(run: () => unknown): RequestWork<unknown> {
  return { isRead: true, takesLock: true, run };
}

const STREAM_QUERY = z.strictObject({ after: z.string().optional() });

/** The event log as server-sent events, after the last event that the client has seen. */
function streamOf(world: ControlWorld, request: Request): Response {
  const { after: asked } = parse(STREAM_QUERY, queryOf(new URL(request.url).searchParams), 'query');
  const given = request.headers.get('last-event-id') ?? asked;
  const after = given === undefined ? world.events.last : Number(given);
  if (!/^\d+$/.test(String(given ?? 0)) || !Number.isSafeInteger(after))
    throw new RangeProblem(400, 'invalid_request', 'after: must be the number of an event');
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  // The stream of a HEAD response would never be read or cancelled.
  if (request.method === 'HEAD') return new Response(null, { headers });
  const { eventStreams } = world;
  const stream = eventStreams.open(after);
  if (stream !== null) return new Response(stream, { headers });
  throw new RangeProblem(
    429,
    'too_many_event_streams',
    `${eventStreams.max} event streams are open, the most allowed; close one, or read pages of GET /events (limit eventStreams)`,
  );
}

export function controlApp(options: ControlOptions): Hono {
  return new ControlInterface(options).hono;
}
