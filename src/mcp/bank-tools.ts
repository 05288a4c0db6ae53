import { type Endpoint, type EndpointId, endpoints, onlyReads } from '../contract/endpoints.js';
import { MAX_KEY_LENGTH } from '../contract/common.js';
import type { Variants } from '../core/domain/variants.js';
import { moneyOf } from './amounts.js';
import { callHash } from './consent.js';
import { NO_MEMBERS, jsonSchema, withMembers } from './schemas.js';
import { type JsonSchema, type Tool, type ToolCall, toolName, toolTitle } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';

type Args = Readonly<Record<string, unknown>>;

const KEY = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
  description:
    'Idempotency-Key: a repeated call with the same key and arguments gets the answer of the first, for 24 hours. Choose one before a call whose answer may get lost.',
};
const KEY_FORM = /^[\x21-\x7E]+$/;

/** Whether a call takes an Idempotency-Key, as the OpenAPI document says too. */
function isRepeatable({ method, auth }: Endpoint): boolean {
  return method === 'POST' && auth === 'bearer';
}

function inputOf(endpoint: Endpoint): JsonSchema {
  const { body, query, params } = endpoint;
  const main = body ?? query;
  const schema = main === undefined ? NO_MEMBERS : jsonSchema(main, 'input');
  const inPath = params === undefined ? [] : Object.keys(params.shape);
  const members = Object.fromEntries(inPath.map((name) => [name, { type: 'string', minLength: 1 }]));
  return withMembers(
    schema,
    { ...members, ...(isRepeatable(endpoint) ? { idempotency_key: KEY } : {}) },
    inPath,
  );
}

function descriptionOf({ summary, spends, method }: Endpoint): string {
  const more =
    spends === true
      ? ' Money leaves the account; limits of this server and the consent of the user may apply.'
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

function keyOf(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'string' && given.length <= MAX_KEY_LENGTH && KEY_FORM.test(given)) return given;
  throw new ToolRefusal(
    'invalid_request',
    `idempotency_key: must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`,
  );
}

async function spend(endpoint: Endpoint, args: Args, call: ToolCall, id: string): Promise<object> {
  const { idempotency_key: given, ...body } = args;
  const { session, options, consent } = call;
  const key = keyOf(given);
  const work = async () =>
    (await session.client.call(endpoint, { body }, key === undefined ? {} : { idempotencyKey: key })) as {
      tx_signature?: string | null;
    };
  // The bank refuses invalid amounts itself, with its own words.
  if (options.maxSpend === null && !consent.isNeeded) return work();
  const { recipient, destination } = body;
  const to = [recipient, destination].find((each) => typeof each === 'string') ?? session.wallet.address;
  const payment = {
    ...moneyOf(body['amount'], body['token']),
    to,
    key: key === undefined ? null : callHash(id, args),
  };
  return session.pay(call, payment, work);
}

/** The tool of an operation. */
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
        destructiveHint: spends === true,
        idempotentHint: isRead,
        openWorldHint: false,
      },
    },
    run: async (args, call) => {
      if (spends === true) return spend(endpoint, args, call, id);
      const { client } = call.session;
      const { idempotency_key: key, id: given, ...rest } = args;
      const inPath = params === undefined ? {} : { id: pathId(given) };
      // An operation without an id in its path may have a member of that name.
      const members = params === undefined && given !== undefined ? { ...rest, id: given } : rest;
      if (method === 'GET') return (await client.call(endpoint, { ...inPath, query: members })) as object;
      const known = keyOf(key);
      return (await client.call(
        endpoint,
        { ...inPath, ...(bodySchema === undefined ? {} : { body: members }) },
        known === undefined ? {} : { idempotencyKey: known },
      )) as object;
    },
  };
}

/**
 * A tool for each operation of the contract but those of sign-in, which this server does by itself: a token never reaches its client.
 */
export function bankTools(variants: Variants): Tool[] {
  const table: Readonly<Record<string, Endpoint>> = endpoints(variants) satisfies Record<
    EndpointId,
    Endpoint
  >;
  return Object.entries(table)
    .filter(([, { area }]) => area !== 'auth')
    .map(([id, endpoint]) => bankTool(id, endpoint));
}
