import { z } from 'zod';
import { type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { defined } from '../../../core/json.js';
import { VERB_NAMES } from '../file/write.js';
import type { Outcome } from '../outcome.js';
import { type Actor, type ServiceCall, callService } from '../play/actor.js';
import type { ChainAccess } from '../target.js';
import { type AgentVerb, type VerbContext, agentVerb, worldVerb } from './verb.js';
import { filledPath, hasId } from '../../../contract/match-path.js';

const TABLE = endpoints(DEFAULT_VARIANTS);

/** Accepts any arguments, valid or not: the service must validate them. */
const anything = (names: readonly string[]) =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))).default({});

function membersOf(id: EndpointId): string[] {
  const { params, query, body } = TABLE[id] as {
    params?: z.ZodObject;
    query?: z.ZodObject;
    body?: z.ZodObject;
  };
  return [params, query, body].flatMap((schema) => (schema === undefined ? [] : Object.keys(schema.shape)));
}

/** The call of an operation: arguments not used in path or query form the body. */
function callOf(id: EndpointId, args: Readonly<Record<string, unknown>>): ServiceCall {
  const { method, path } = TABLE[id];
  const { id: inPath, ...rest } = args;
  const isInPath = hasId(path);
  const given = isInPath ? rest : args;
  return {
    method,
    path: filledPath(path, encodeURIComponent(String(inPath))),
    ...(method === 'GET' ? { query: given } : { body: given }),
  };
}

function operation(id: EndpointId): AgentVerb<Record<string, unknown>> {
  const { summary, auth } = TABLE[id];
  return agentVerb<Record<string, unknown>>({
    summary,
    args: anything(membersOf(id)),
    run: (actor, args, { context, recorder, headers }) => {
      const call = { ...callOf(id, args), headers };
      return auth === 'none' ? callService(context.world, call, recorder) : actor.call(call, recorder, true);
    },
  });
}

/** Sends the tokens to the treasury on chain first, unless a signature is given. */
async function deposit(
  actor: Actor,
  args: Record<string, unknown>,
  { context, recorder, headers }: VerbContext,
): Promise<Outcome> {
  const call = callOf('deposit', args);
  if (args['tx_signature'] !== undefined) return actor.call({ ...call, headers }, recorder, true);
  const { treasury, usdcMint } = context.facts;
  const token = args['token'] === 'SOL' ? 'SOL' : 'USDC';
  const transfer = { token, amount: args['amount'] as number, to: treasury, usdcMint } as const;
  const signature = await actor.wallet.send(context.world.chain as ChainAccess, transfer);
  return actor.call({ ...call, body: { ...args, tx_signature: signature }, headers }, recorder, true);
}

/** A raw call of the service, valid or not. */
const rawCall = z.strictObject({
  method: z.string().default('GET').describe('default: GET, or POST with a body'),
  path: z.string().describe('relative to the base URL, such as /agent/account'),
  fromOrigin: z.boolean().default(false).describe('path is relative to the host instead'),
  query: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional().describe('sent as JSON'),
  text: z.string().optional().describe('sent verbatim, instead of a body'),
  repeated: z
    .strictObject({ text: z.string(), times: z.int().min(1).max(1e6) })
    .optional()
    .describe('a body that repeats this text'),
  headers: z.record(z.string(), z.string()).optional(),
});

type RawCall = z.output<typeof rawCall>;

function serviceCall(
  { method, path, fromOrigin, query, body, text, repeated, headers }: RawCall,
  more: object,
): ServiceCall {
  const whole = repeated === undefined ? text : repeated.text.repeat(repeated.times);
  const isPost = method === 'GET' && (body !== undefined || whole !== undefined);
  return {
    method: isPost ? 'POST' : method,
    path,
    fromOrigin,
    ...defined({ query, body, text: whole }),
    headers: { ...headers, ...more },
  };
}

export const CALLS = {
  call: worldVerb({
    summary: 'Call the service without a token, with any path, body and headers',
    args: rawCall,
    run: (args, { context, recorder, headers }) =>
      callService(context.world, serviceCall(args, headers), recorder),
  }),
};

const OPERATIONS = Object.fromEntries(
  Object.entries(VERB_NAMES).map(([id, name]) => [name, operation(id as EndpointId)]),
) as Record<(typeof VERB_NAMES)[EndpointId], AgentVerb<Record<string, unknown>>>;

/** Operations of an agent, named as in the service. Some do more than one call. */
export const AGENT_CALLS = {
  signIn: agentVerb({
    summary: 'Get a challenge, sign it and keep the token',
    args: z.strictObject({}).default({}),
    run: (actor, _args, { recorder }) => actor.signIn(recorder),
  }),
  ...OPERATIONS,
  challenge: agentVerb<Record<string, unknown>>({
    summary: "Get a challenge for the agent's wallet or for another wallet",
    args: anything(['wallet']),
    run: (actor, args, { context, recorder, headers }) => {
      const body = { wallet: actor.wallet.address, ...args };
      return callService(context.world, { ...callOf('challenge', body), headers }, recorder);
    },
  }),
  verify: agentVerb<Record<string, unknown>>({
    summary: 'Exchange a challenge (`message`) for a token, signing it unless a signature is given',
    args: anything(['message', 'signature', 'wallet']),
    run: async (actor, args, { context, recorder, headers }) => {
      const signature = actor.wallet.signText(String(args['message']));
      const body = { wallet: actor.wallet.address, signature, ...args };
      return callService(context.world, { ...callOf('verify', body), headers }, recorder);
    },
  }),
  call: agentVerb({
    summary: "Call the service with the agent's token and any path, body and headers",
    args: rawCall,
    run: (actor, args, { recorder, headers }) => actor.call(serviceCall(args, headers), recorder),
  }),
  deposit: agentVerb({
    ...OPERATIONS.deposit,
    summary:
      'Send tokens to the treasury on chain and record the deposit; with `tx_signature`, only record it',
    requires: ['chain'],
    run: deposit,
  }),
} satisfies Record<string, unknown>;
