import { z } from 'zod';
import { type Endpoint, onlyReads } from '../contract/endpoints.js';
import { parseBySchema } from '../contract/parse.js';
import { MAX_KEY_LENGTH } from '../contract/common.js';
import { moneyOf } from './amounts.js';
import { type Payee, callHash } from './consent.js';
import { jsonSchema } from './schemas.js';
import { type JsonSchema, type Tool, type ToolCall, toolName, toolTitle } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';

type Args = Readonly<Record<string, unknown>>;

/** The member `idempotency_key`. */
export const KEY = z
  .string()
  .min(1)
  .max(MAX_KEY_LENGTH)
  .optional()
  .describe(
    'Idempotency-Key: a repeated call with the same key and arguments returns the response of the first call, for 24 hours. Choose a key before a call whose response may be lost.',
  );
/** The id in a path, as a member. */
export const ID = z.string().min(1);
const KEY_FORM = /^[\x21-\x7E]+$/;

/** Whether a call takes an Idempotency-Key; the OpenAPI document states the same. */
function isRepeatable({ method, auth }: Endpoint): boolean {
  return method === 'POST' && auth === 'bearer';
}

function inputOf(endpoint: Endpoint): JsonSchema {
  const { body, query, params } = endpoint;
  return jsonSchema(
    z.object({
      ...(body ?? query)?.shape,
      ...(params === undefined ? {} : { id: ID }),
      ...(isRepeatable(endpoint) ? { idempotency_key: KEY } : {}),
    }),
    'input',
  );
}

function descriptionOf({ summary, spends, method }: Endpoint): string {
  const more =
    spends !== undefined
      ? " Money leaves the account; this server's limits and the user's consent may apply."
      : method === 'POST'
        ? ' Changes the account.'
        : '';
  return `${summary}.${more}`;
}

/** The id in a path. Throws ToolRefusal for one that a URL would resolve to another path. */
export function pathId(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return id;
  throw new ToolRefusal('invalid_request', 'id: must be an id');
}

/** The Idempotency-Key of a call; undefined for none. Throws ToolRefusal. */
export function keyOf(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string' && given.length <= MAX_KEY_LENGTH && KEY_FORM.test(given)) return given;
  throw new ToolRefusal(
    'invalid_request',
    `idempotency_key: must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`,
  );
}

const optionsOf = (key: string | undefined) => (key === undefined ? {} : { idempotencyKey: key });

/** The members of a body, as the bank takes them. Throws ToolRefusal with the bank's code. */
function bodyOf({ body: schema }: Endpoint, given: Args): Args {
  if (schema === undefined) return {};
  const parsed = parseBySchema(schema, given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: ['body', ...path].join('.'),
    message,
  }));
  const text = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new ToolRefusal('invalid_request', text, { issues });
}

/** The payment of a call with these members. Throws ToolRefusal with the bank's code. */
function paymentOf({ spends: toName = 'recipient' }: Endpoint, body: Args, wallet: string): Payee {
  const { amount, token, [toName]: to = wallet, ...texts } = body;
  return {
    ...moneyOf(amount, token),
    to: to as string,
    toName,
    texts: texts as Readonly<Record<string, string>>,
  };
}

async function spend(endpoint: Endpoint, args: Args, call: ToolCall, id: string): Promise<object> {
  const { idempotency_key: given, ...members } = args;
  const { session, options } = call;
  const key = keyOf(given);
  const callWith = async (body: Args) =>
    (await session.client.call(endpoint, { body }, optionsOf(key))) as { tx_signature?: string | null };
  let payment;
  let body: Args;
  try {
    body = bodyOf(endpoint, members);
    payment = paymentOf(endpoint, body, session.wallet.address);
  } catch (error) {
    // Without limits the bank refuses invalid members itself, with its own words.
    if (options.maxSpend === null && options.confirmAbove === null) return callWith(members);
    throw error;
  }
  const hash = key === undefined ? null : callHash(id, args);
  return session.pay(call, { ...payment, key: hash }, () => callWith(body));
}

export function bankTool(id: string, endpoint: Endpoint): Tool {
  const { method, spends, params, body: bodySchema } = endpoint;
  const isRead = onlyReads(endpoint);
  return {
    definition: {
      name: toolName(id),
      title: toolTitle(id),
      description: descriptionOf(endpoint),
      inputSchema: inputOf(endpoint),
      outputSchema: jsonSchema(endpoint.response, 'output'),
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: spends !== undefined,
        idempotentHint: isRead,
        openWorldHint: false,
      },
    },
    run: async (args, call) => {
      if (spends !== undefined) return spend(endpoint, args, call, id);
      const { client } = call.session;
      const { idempotency_key: key, id: given, ...rest } = args;
      const inPath = params === undefined ? {} : { id: pathId(given) };
      // An operation without an id in its path may have a member of that name.
      const members = params === undefined && given !== undefined ? { ...rest, id: given } : rest;
      if (method === 'GET') return (await client.call(endpoint, { ...inPath, query: members })) as object;
      const input = { ...inPath, ...(bodySchema === undefined ? {} : { body: members }) };
      return (await client.call(endpoint, input, optionsOf(keyOf(key)))) as object;
    },
  };
}

/** A tool for each operation of the contract except sign-in. This server signs in by itself, so a token never reaches its client. */
export function bankTools(table: Readonly<Record<string, Endpoint>>): Tool[] {
  return Object.entries(table)
    .filter(([, { area }]) => area !== 'auth')
    .map(([id, endpoint]) => bankTool(id, endpoint));
}
