import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { z } from 'zod';
import { RangeProblem, problemOf } from './problems.js';
import { COMMANDS, CONTROL_PATH, type Command } from './commands.js';
import type { ControlWorld } from './world.js';

export interface ControlOptions {
  readonly world: ControlWorld;
  /** Needed of every caller when it is not null. */
  readonly token: string | null;
  /** Runs work when nothing is moving the whole world, after what has fallen due. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly onBug: (error: unknown, where: string) => void;
}

/** The largest body: a series of some ten thousand rates. */
const MAX_BODY_BYTES = 1_024 * 1_024;

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function bodyOf(command: Command, request: Request): Promise<unknown> {
  if (command.body === undefined) return undefined;
  const text = await request.text();
  if (text.length > MAX_BODY_BYTES)
    throw new RangeProblem(400, 'payload_too_large', 'The body is larger than 1 MiB.');
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new RangeProblem(400, 'invalid_json', 'The body is not valid JSON.');
  }
  const parsed = command.body.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RangeProblem(400, 'invalid_request', issuesOf(parsed.error));
}

function issuesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
}

function queryOf(command: Command, request: Request): Record<string, unknown> {
  if (command.query === undefined) return {};
  const parsed = command.query.safeParse(Object.fromEntries(new URL(request.url).searchParams));
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

/** The control interface over HTTP. */
export function controlApp(options: ControlOptions): Hono {
  const { world, token, inWorld, onBug } = options;
  const app = new Hono();
  const answer = async (request: Request, work: () => Promise<unknown>): Promise<Response> => {
    try {
      authorize(request, token);
      return Response.json(await work());
    } catch (error) {
      const problem = problemOf(error);
      if (problem === null) onBug(error, new URL(request.url).pathname);
      const { status, code, message } = problem ?? {
        status: 500,
        code: 'internal_error',
        message: 'The simulator made an error.',
      };
      return Response.json({ error: message, code }, { status });
    }
  };
  for (const command of Object.values(COMMANDS) as Command[]) {
    app.on(command.method, CONTROL_PATH + command.path.replace('{id}', ':id'), (context) =>
      answer(context.req.raw, async () => {
        const query = queryOf(command, context.req.raw);
        const body = await bodyOf(command, context.req.raw);
        const run = async (): Promise<unknown> =>
          command.run(world, { body, query, id: context.req.param('id') ?? '' });
        return command.isGated === true ? run() : inWorld(run);
      }),
    );
  }
  app.get(`${CONTROL_PATH}/openapi.json`, (context) =>
    answer(context.req.raw, async () => {
      const { controlDocument } = await import('./openapi.js');
      return controlDocument(new URL(context.req.url).origin);
    }),
  );
  app.notFound((context) =>
    answer(context.req.raw, async () => {
      throw new RangeProblem(
        404,
        'not_found',
        `There is no ${context.req.method} ${context.req.path}; see ${CONTROL_PATH}/openapi.json.`,
      );
    }),
  );
  return app;
}
