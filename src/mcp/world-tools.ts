import { z } from 'zod';
import { COMMANDS, type Command, type CommandId } from '../api/control/commands.js';
import { hasId } from '../contract/match-path.js';
import { parseDuration, parseInstant } from '../core/domain/calendar.js';
import { ID, pathId } from './bank-tools.js';
import { type Backend, worldNowMs } from './backend.js';
import { eventsOf } from './event-feed.js';
import { jsonSchema } from './schemas.js';
import { type JsonSchema, type Tool, type ToolCall, toolName, toolTitle } from './tool.js';

/** How often a jump of the clock reports its progress. */
const PROGRESS_MS = 200;

function inputOf({ path, body, query }: Command): JsonSchema {
  const schema = body ?? query ?? z.object({});
  // Next to an id in the path, the body is one object.
  return jsonSchema(hasId(path) ? (schema as z.ZodObject).extend({ id: ID }) : schema, 'input');
}

/** The span of a jump in milliseconds, at most; null when it is not known beforehand. */
function lengthMs({ by, to }: Readonly<Record<string, unknown>>, nowMs: number): number | null {
  if (typeof by === 'string') return parseDuration(by);
  const atMs = typeof to === 'string' ? parseInstant(to) : null;
  return atMs === null ? null : atMs - nowMs;
}

async function withProgress(
  args: Readonly<Record<string, unknown>>,
  { progress, session: { backend } }: ToolCall,
  jump: () => Promise<object>,
): Promise<object> {
  if (progress === null) return jump();
  const startMs = await worldNowMs(backend);
  const total = lengthMs(args, startMs);
  let doneMs = 0;
  // Progress must increase with each report.
  const report = async (nowMs: number) => {
    if (!(nowMs - startMs > doneMs)) return false;
    doneMs = nowMs - startMs;
    await progress(doneMs, total, `It is ${new Date(nowMs).toISOString()}`);
    return true;
  };
  const end = new AbortController();
  const following = followEvents(backend, end.signal, report).catch(() => undefined);
  try {
    const answer = await jump();
    end.abort();
    await following;
    await report(await worldNowMs(backend));
    return answer;
  } finally {
    end.abort();
  }
}

// The clock itself cannot be read during a jump; the event log can.
async function followEvents(
  backend: Backend,
  signal: AbortSignal,
  report: (nowMs: number) => Promise<boolean>,
): Promise<void> {
  let reportedMs = Number.NEGATIVE_INFINITY;
  for await (const { at } of eventsOf(backend, signal)) {
    if (performance.now() - reportedMs < PROGRESS_MS) continue;
    if (await report(Date.parse(at))) reportedMs = performance.now();
  }
}

function worldTool(id: CommandId, command: Command): Tool {
  const { method, path, summary, destroys, body, query } = command;
  const isRead = method === 'GET';
  return {
    definition: {
      name: `world_${toolName(id)}`,
      title: `World: ${toolTitle(id).toLowerCase()}`,
      description: `${summary}.`,
      inputSchema: inputOf(command),
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: destroys === true || method === 'DELETE',
        idempotentHint: isRead || method === 'DELETE',
        openWorldHint: false,
      },
    },
    run: async (args, call) => {
      const { id: given, ...rest } = args;
      const isInPath = hasId(path);
      const members = isInPath || given === undefined ? rest : args;
      const work = () =>
        call.session.backend.control.do(id, {
          ...(isInPath ? { id: pathId(given) } : {}),
          ...(body === undefined ? {} : { body: members }),
          ...(query === undefined ? {} : { query: members }),
          signal: call.signal,
        });
      return id === 'advance' ? withProgress(args, call, work) : work();
    },
  };
}

/** A tool for each command of the control interface, except commands with binary bodies. */
export function worldTools(): Tool[] {
  return (Object.entries(COMMANDS) as [CommandId, Command][])
    .filter(([, { takes, gives }]) => takes === undefined && gives === undefined)
    .map(([id, command]) => worldTool(id, command));
}
