import { COMMANDS, type Command, type CommandId } from '../api/control/commands.js';
import { hasId } from '../contract/match-path.js';
import { parseDuration, parseInstant } from '../core/domain/calendar.js';
import { pathId } from './bank-tools.js';
import { worldNowMs } from './backend.js';
import { NO_MEMBERS, jsonSchema, withMembers } from './schemas.js';
import { type JsonSchema, type Tool, type ToolCall, toolName, toolTitle } from './tool.js';

/** How often a jump of the clock reports its progress. */
const PROGRESS_MS = 200;

function inputOf({ path, body, query }: Command): JsonSchema {
  const schema = body ?? query;
  const members = schema === undefined ? NO_MEMBERS : jsonSchema(schema, 'input');
  return hasId(path) ? withMembers(members, { id: { type: 'string', minLength: 1 } }, ['id']) : members;
}

/** Milliseconds that a jump will take at most; null when they are not known before. */
function lengthMs({ by, to }: Readonly<Record<string, unknown>>, nowMs: number): number | null {
  if (typeof by === 'string') return parseDuration(by);
  const atMs = typeof to === 'string' ? parseInstant(to) : null;
  return atMs === null ? null : atMs - nowMs;
}

/** Reports how far a jump has come until it has ended. */
async function followJump(
  args: Readonly<Record<string, unknown>>,
  { progress, session }: ToolCall,
  jump: Promise<unknown>,
): Promise<void> {
  if (progress === null) return;
  const startMs = await worldNowMs(session.backend);
  const total = lengthMs(args, startMs);
  let isOver = false;
  const over = jump.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  for (let last = -1; ;) {
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise((resolve) => {
      timer = setTimeout(resolve, PROGRESS_MS);
    });
    await Promise.race([over, pause]);
    clearTimeout(timer);
    const nowMs = await worldNowMs(session.backend);
    // Progress must increase with each report.
    if (nowMs - startMs > last) {
      last = nowMs - startMs;
      await progress(last, total, `It is ${new Date(nowMs).toISOString()}`);
    }
    if (isOver) return;
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
      const work = call.session.backend.control.do(id, {
        ...(isInPath ? { id: pathId(given) } : {}),
        ...(body === undefined ? {} : { body: members }),
        ...(query === undefined ? {} : { query: members }),
        signal: call.signal,
      });
      if (id === 'advance') await followJump(args, call, work);
      return work;
    },
  };
}

/** A tool for each command of the control interface but those that take or give files. */
export function worldTools(): Tool[] {
  return (Object.entries(COMMANDS) as [CommandId, Command][])
    .filter(([, { takes, gives }]) => takes === undefined && gives === undefined)
    .map(([id, command]) => worldTool(id, command));
}
