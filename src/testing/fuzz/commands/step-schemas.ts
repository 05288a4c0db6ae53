import { z } from 'zod';
import { type Endpoint, type EndpointId, endpoints } from '../../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../core/domain/variants.js';
import { SPELLINGS } from '../model/types.js';
import { DAMAGES, FLAWS } from '../rpc/message.js';
import { ENCODINGS } from '../rpc/witness.js';
import type { Step } from '../step.js';
import { POLICIES } from './surroundings.js';
import { KILLED_AT, MISHAPS, type Mishap } from '../world.js';
import type { Command } from './command.js';
import { TWIN_ARGS } from './twins.js';

const TABLE: Readonly<Record<EndpointId, Endpoint>> = endpoints(DEFAULT_VARIANTS);
const DAY_MS = 86_400_000;

const amount = z.number().min(0);
const token = z.enum(['USDC', 'SOL']);

/** What a call may have besides what its endpoint requires. Bodies and queries are free: refusing them is the service's work. */
const callMembers = {
  auth: z.string().optional(),
  query: z.record(z.string(), z.string()).optional(),
  body: z.json().optional(),
  key: z.string().optional(),
  spelling: z.enum(SPELLINGS).optional(),
};

function callSchema({ params }: Endpoint) {
  return z.strictObject({
    ...callMembers,
    ...(params === undefined ? {} : { params: z.strictObject({ id: z.string() }) }),
    mishap: z.enum(Object.keys(MISHAPS) as [Mishap]).optional(),
  });
}

const CALLS = Object.fromEntries(
  (Object.entries(TABLE) as [EndpointId, Endpoint][]).map(([id, endpoint]) => [id, callSchema(endpoint)]),
) as Record<EndpointId, ReturnType<typeof callSchema>>;

const overlapped = z
  .strictObject({ do: z.enum(Object.keys(TABLE) as [EndpointId]), by: z.string(), with: z.unknown() })
  .superRefine(({ do: id, with: args }, context) => {
    for (const { path, message } of CALLS[id].safeParse(args).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['with', ...path], message });
  });

const transfer = z.strictObject({
  to: z.string(),
  token: z.enum(['USDC', 'SOL', 'other', 'wrapped']),
  amount,
  of: z.string().optional(),
});

/** The arguments of each built-in command. A step that does not fit could not have been drawn, and what it shows is no finding. */
export const STEP_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...CALLS,
  signIn: z.strictObject({}),
  verify: z.strictObject({
    wallet: z.string(),
    message: z.string(),
    change: z.enum(['message', 'signature', 'empty']).optional(),
  }),
  send: z.strictObject({ transfers: z.array(transfer).min(1), cosigner: z.string().optional() }),
  rpcSend: z.strictObject({
    version: z.literal(['legacy', 0]),
    transfers: z.array(z.strictObject({ to: z.string(), lamports: z.int().min(0) })),
    memo: z.string().min(1).optional(),
    fill: z.int().min(0).max(1).optional(),
    units: z.int().min(1).optional(),
    price: z.int().min(0).optional(),
    cosigner: z.string().optional(),
    lifetime: z.string().optional(),
    table: z.string().optional(),
    creates: z.enum(['nonce', 'table']).optional(),
    encoding: z.enum(ENCODINGS),
    skipPreflight: z.boolean(),
    flaw: z.enum([...FLAWS, ...Object.keys(DAMAGES)]).optional(),
    again: z.literal(true).optional(),
  }),
  allow: z.strictObject({ delegate: z.string(), amount }),
  advance: z.strictObject({
    ms: z
      .number()
      .min(0)
      .max(3_650 * DAY_MS),
  }),
  setPrice: z.strictObject({ token, usd: z.number().min(1e-8).max(1e6) }),
  setApy: z.strictObject({ token, apy: z.number().min(0).max(1) }),
  oracle: z.strictObject({ state: z.enum(['out', 'stale', 'fresh']) }),
  desk: z.strictObject({
    what: z.enum(['approve', 'deny', 'makeOverdue', 'makeDefaulted', 'cure', 'forgive']),
    loan: z.string(),
    dueIn: z.int().min(1_000).optional(),
  }),
  policy: z.strictObject({ policy: z.enum(POLICIES) }),
  setBalance: z.strictObject({ to: z.string(), token, units: z.int().min(0) }),
  drain: z.strictObject({ token, left: z.int().min(0) }),
  link: z.strictObject({ x: z.boolean(), github: z.boolean() }),
  overlap: z.strictObject({ calls: z.array(overlapped).min(1), order: z.int().min(0) }),
  snapshot: z.strictObject({}),
  revert: z.strictObject({ to: z.string() }),
  reload: z.strictObject({}),
  kill: z.strictObject({ call: overlapped, at: z.enum(KILLED_AT) }),
  twin: TWIN_ARGS,
};

/** Why a step does not fit the schema of its command; null if it does, or its command has none. */
export function misfit({ do: name, with: args }: Step, commands: readonly Command[]): string | null {
  const issue = commands.find((each) => each.name === name)?.args?.safeParse(args).error?.issues[0];
  return issue === undefined ? null : `${name}: ${[...issue.path, issue.message].join(': ')}`;
}
