import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { z } from 'zod';
import type { Limits } from '../../core/limits.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import { MAX_TEXT, keptText, shortText } from '../../core/domain/short-text.js';
import type { RequestEvent } from '../../runtime/events/event.js';
import { readBody } from '../../core/request-body.js';
import { refusedValue } from '../../core/suggestion.js';
import { type Problem, RangeProblem, problemOf } from './problems.js';
import { COMMANDS, CONTROL_PATH, type Command } from './commands.js';
import type { CommandRecorderSlot, CommandTrace } from './recorder-port.js';
import type { ControlWorld } from './world.js';
import { routeOf } from '../../contract/match-path.js';

export interface ControlOptions {
  readonly world: ControlWorld;
  readonly limits: Limits;
  /** Required of every request unless null. */
  readonly token: string | null;
  /** Runs shared work, after due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  /** Runs shared work on the world as it is, so that reads change nothing. */
  readonly runWithoutCatchUp: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  /** The prefix of every path. */
  readonly mount: string;
  readonly newRequestId: () => string;
  /** Returns the result of `work` once its effects are durable; retries a read that has seen changes which were rolled back. */
  readonly awaitDurable: <T>(work: (isAgain: boolean) => T | Promise<T>, isRead: boolean) => Promise<T>;
  /** Runs work and attributes the entries of its synchronous part to `cause`. */
  readonly during: <T>(cause: RequestContext, work: () => T) => T;
  readonly onAnswer: (event: RequestEvent, requestId: string) => void;
  readonly recorder: CommandRecorderSlot;
  /** The response that is never sent. */
  readonly lost: () => Response;
  readonly onBug: (error: unknown, where: string) => void;
}

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function bytesOf(command: Command, request: Request, limits: Limits): Promise<Uint8Array> {
  if (command.takes !== 'bytes') return new Uint8Array(0);
  return readUpTo(limits.stateBytes, 'state', request);
}

/** Throws RangeProblem for a body that is too large or incomplete. */
async function readUpTo(maxBytes: number, what: 'body' | 'state', request: Request): Promise<Uint8Array> {
  const body = await readBody(request, maxBytes);
  switch (body.kind) {
    case 'read':
      return body.bytes;
    case 'too_large':
      throw new RangeProblem(413, 'payload_too_large', `The ${what} is larger than ${maxBytes} bytes.`);
    case 'broken_off':
      throw new RangeProblem(400, 'invalid_request', `The ${what} ended before it was complete.`);
  }
}

async function jsonOf(command: Command, request: Request, limits: Limits): Promise<unknown> {
  if (command.body === undefined) return undefined;
  const text = new TextDecoder().decode(await readUpTo(limits.controlBodyBytes, 'body', request));
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    throw new RangeProblem(400, 'invalid_json', 'The body is not valid JSON.');
  }
}

function bodyOf(command: Command, value: unknown): unknown {
  if (command.body === undefined) return undefined;
  const parsed = command.body.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new RangeProblem(400, 'invalid_request', issuesOf(parsed.error));
}

function issueText(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.') || 'body';
  if (issue.code !== 'invalid_value') return `${name}: ${issue.message}`;
  const allowed = issue.values.map(String);
  return `${refusedValue(name, issue.input, allowed)} Allowed: ${allowed.join(', ')}`;
}

function issuesOf({ issues }: z.ZodError): string {
  return issues.map(issueText).join('; ');
}

function queryOf(command: Command, given: Readonly<Record<string, string>>): Record<string, unknown> {
  if (command.query === undefined) return {};
  const parsed = command.query.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new RangeProblem(400, 'invalid_request', issuesOf(parsed.error));
}

function authorize(request: Request, token: string | null): void {
  if (token === null) return;
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined || !same(given, token)) {
    throw new RangeProblem(
      401,
      'control_token_required',
      'Send Authorization: Bearer <token> with the token that --control-token gave.',
    );
  }
}

function bytesAnswer(bytes: Uint8Array): Response {
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}

/** What is collected about a request for the log. */
interface Known {
  operation: string | null;
  input: unknown;
  /** `null` while nothing is recorded. */
  trace: CommandTrace | null;
  /** Its result. */
  answer: unknown;
  /** Whether it is a retry of a read that has seen changes which were rolled back. */
  isAgain: boolean;
}

/** The outcome of a command whose client has disconnected. */
const LEFT = { status: null, code: 'caller_left', message: 'The caller has left before the answer.' };

// Series of rates are long, and the log is meant to be read.
const LOGGED_INPUT = 2_048;

function smallInput(body: unknown): unknown {
  return body === undefined || JSON.stringify(body).length > LOGGED_INPUT ? null : body;
}

class ControlInterface {
  readonly hono = new Hono();
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
    const { mount } = options;
    for (const [operation, command] of Object.entries(COMMANDS) as [string, Command][]) {
      const path = mount + CONTROL_PATH + routeOf(command.path);
      this.hono.on(command.method, path, (context) =>
        this.#answer(context.req.raw, async (request, requestId, known) => {
          known.operation = operation;
          const id = context.req.param('id') ?? '';
          const answer = await this.#run({ command, operation }, { request, requestId, known, id });
          known.answer = answer;
          return answer instanceof Uint8Array ? bytesAnswer(answer) : Response.json(answer);
        }),
      );
    }
    this.hono.get(`${mount}${CONTROL_PATH}/events/stream`, (context) =>
      this.#answer(context.req.raw, async (request) => streamOf(options.world, request)),
    );
    this.hono.get(`${mount}${CONTROL_PATH}/openapi.json`, (context) =>
      this.#answer(context.req.raw, async (request) => {
        const { controlDocument } = await import('./openapi.js');
        return Response.json(controlDocument(new URL(request.url).origin + mount));
      }),
    );
    this.hono.notFound((context) =>
      this.#answer(context.req.raw, async () => {
        const { method, path } = context.req;
        throw new RangeProblem(
          404,
          'not_found',
          `There is no ${method} ${shortText(path)}; see ${mount}${CONTROL_PATH}/openapi.json.`,
        );
      }),
    );
  }

  async #run(
    { command, operation }: { command: Command; operation: string },
    { request, requestId, known, id }: { request: Request; requestId: string; known: Known; id: string },
  ): Promise<unknown> {
    const { world, limits, during, recorder } = this.#options;
    const { origin, searchParams } = new URL(request.url);
    const queryText = Object.fromEntries(searchParams);
    const json = await jsonOf(command, request, limits);
    const { method } = command;
    known.trace ??=
      recorder.on?.command({ command: operation, method, id, query: queryText, body: json, requestId }) ??
      null;
    const { trace } = known;
    const query = queryOf(command, queryText);
    const body = bodyOf(command, json);
    const bytes = await bytesOf(command, request, limits);
    known.input = smallInput(body);
    const cause = { requestId, trouble: null };
    const given = {
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
    const work = () => during(cause, () => command.run(world, given));
    const run = async (): Promise<unknown> => (trace === null ? work() : trace.still(work));
    if (command.isGated === true) return run();
    return (known.isAgain ? this.#options.runWithoutCatchUp : this.#options.inWorld)(run);
  }

  async #answer(
    request: Request,
    work: (request: Request, requestId: string, known: Known) => Promise<Response>,
  ): Promise<Response> {
    const { token, newRequestId } = this.#options;
    const requestId = newRequestId();
    const known: Known = { operation: null, input: null, trace: null, answer: null, isAgain: false };
    let answer: Response;
    let problem: Problem | null = null;
    try {
      authorize(request, token);
      let seen: Response | null = null;
      answer = await this.#options.awaitDurable(async (isAgain) => {
        known.isAgain = isAgain;
        await seen?.body?.cancel();
        seen = await work(request, requestId, known);
        return seen;
      }, request.method === 'GET');
      known.trace?.answered(200, known.answer);
    } catch (error) {
      if (request.signal.aborted && error === request.signal.reason) {
        known.trace?.left();
        this.#log(request, requestId, { ...known, problem: LEFT });
        return this.#options.lost();
      }
      problem = this.#problem(error, request);
      const { status, code, message } = problem;
      const body = { error: message, code, requestId };
      known.trace?.answered(status, body);
      answer = Response.json(body, { status });
    }
    answer.headers.set('x-request-id', requestId);
    this.#log(request, requestId, { ...known, problem });
    return answer;
  }

  #problem(error: unknown, request: Request): Problem {
    const problem = problemOf(error);
    if (problem !== null) return { ...problem, message: shortText(problem.message, MAX_TEXT) };
    this.#options.onBug(error, new URL(request.url).pathname);
    return { status: 500, code: 'internal_error', message: 'The simulator made an error.' };
  }

  #log(
    { method, url }: Request,
    requestId: string,
    {
      operation,
      input,
      problem,
    }: Pick<Known, 'operation' | 'input'> & {
      problem: Pick<RequestEvent, 'status' | 'code' | 'message'> | null;
    },
  ): void {
    this.#options.onAnswer(
      {
        kind: 'request',
        interface: 'control',
        method,
        path: keptText(new URL(url).pathname),
        operation,
        wallet: null,
        status: problem === null ? 200 : problem.status,
        code: problem?.code ?? null,
        message: problem?.message ?? null,
        details: null,
        input,
        faults: [],
      },
      requestId,
    );
  }
}

/** The event log as server-sent events, after the last event that the client has seen. */
function streamOf(world: ControlWorld, request: Request): Response {
  const given = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after');
  const after = given === null ? world.events.last : Number(given);
  if (!Number.isSafeInteger(after) || after < 0)
    throw new RangeProblem(400, 'invalid_request', 'after: must be the number of an event');
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  // The stream of a HEAD response would never be read or cancelled.
  if (request.method === 'HEAD') return new Response(null, { headers });
  const { eventStreams } = world;
  const stream = eventStreams.open(after);
  if (stream !== null) return new Response(stream, { headers });
  throw new RangeProblem(
    429,
    'too_many_event_streams',
    `${eventStreams.max} event streams are open, which is all there may be; end one, or read pages of GET /events (limit eventStreams)`,
  );
}

/** The control interface over HTTP. */
export function controlApp(options: ControlOptions): Hono {
  return new ControlInterface(options).hono;
}
